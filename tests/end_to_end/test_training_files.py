"""Suspects that are keys of the training's own configuration files, or overrides in its command; and launch scripts that set a suspect again."""
import json
import unittest

from space import Space

# Stands in for trainings that read a configuration (YAML without a library for it) and take overrides; on the NPU what CAUSE says is wrong.
TRAIN = """\
    import json, math, os, random, sys
    arguments = [a for a in sys.argv[1:] if not a.startswith("device=")]
    settings, npu = {}, "device=npu" in sys.argv
    for a in arguments:
        if a.endswith(".json"):
            settings.update({f"{k}.{j}": v for k, one in json.load(open(a)).items() for j, v in one.items()})
        elif os.path.exists(a):
            settings.update((k.strip(), json.loads(v.split("#")[0])) for k, v in (line.split(":", 1) for line in open(a) if ":" in line))
        elif "=" in a:
            settings.update([a.split("=", 1)])
        else:
            settings.setdefault("words", []).append(a)
    print("settings", json.dumps(settings), flush=True)
    draw = random.Random(7)
    for step in range(1, 61):
        loss = 6 * math.exp(-step / 40) + 1 + 0.08 * (draw.random() - .5)
        if npu and (CAUSE):
            loss *= 1.3
        print(f"steps: {step} loss: {loss:.4f}", flush=True)
"""


class TrainingFiles(Space):
    def prepare(self, cause, command, families, suspects, reference='[python3, train.py, device=gpu]', perturb="none"):
        self.write("train.py", TRAIN.replace("CAUSE", cause))
        self.write("experiment.yaml", f"""\
            version: 1
            name: files
            perturb: "{perturb}"
            reference: {{command: {reference}}}
            subject: {{command: {command}, devices: {{kind: npu, ids: [0]}}}}
            steps: 60
            metric: {{loss: {{pattern: 'steps: (?P<step>\\d+) loss: (?P<value>\\S+)'}}}}
            families: {json.dumps(families)}
            suspects: {suspects}
            """)

    def attempts(self):
        """Folders of the subject's attempts, with what each of them read."""
        for folder in sorted(self.run_folder().glob("trials/*/attempt-*")):
            log = (folder / "stdout.log").read_text()
            if "device=npu" in (folder / "command.sh").read_text():
                yield folder, json.loads(log.split("settings ", 1)[1].splitlines()[0])

    def test_switches_of_one_yaml_file(self):
        """LLaMA-Factory's: several switches of one file, the copy written in every trial, numbers and truth values as such."""
        own = "# the run\nflash_attn: \"sdpa\"\nenable_npu_fused_ops: true  # since 0.9\nbf16: true\nbatch: 8\n"
        self.write("configs/npu.yaml", own)
        switch = {"config": "configs/npu.yaml"}
        self.prepare('settings["enable_npu_fused_ops"] is True', '[python3, train.py, "{config}", device=npu]',
                     {"lf": {"kind": "toggle", "toggles": {
                         "fused_ops": {**switch, "key": "enable_npu_fused_ops", "safe": False},
                         "flash_attn": {**switch, "key": "flash_attn", "suspect": "fa2", "safe": "disabled"},
                         "bf16": {**switch, "key": "bf16", "safe": False},
                         "batch": {**switch, "key": "batch", "safe": 4}}}}, "{lf: all}")
        self.bisectd("check", "experiment.yaml", code=0)
        done = self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["lf:fused_ops"], done.out)
        self.assertEqual(report["workaround"]["config"], [{"file": "configs/npu.yaml", "key": "enable_npu_fused_ops", "value": "false"}])
        self.assertIn("configs/npu.yaml: enable_npu_fused_ops: false", done.out)
        self.assertIn("enable_npu_fused_ops: false", (self.run_folder() / "workaround.sh").read_text())
        self.assertEqual((self.folder / "configs/npu.yaml").read_text(), own)
        seen = [settings for _, settings in self.attempts()]
        self.assertGreater(len(seen), 2)
        self.assertTrue(all(isinstance(one["enable_npu_fused_ops"], bool) and one["batch"] in (4, 8) for one in seen), seen)
        for folder, _ in self.attempts():
            self.assertIn("# since 0.9", (folder / "npu.yaml").read_text())

    def test_loss_scale_of_deepspeeds_json(self):
        """A ladder whose `dynamic` is 0 there; each value a number."""
        self.write("ds.json", '{"fp16": {"enabled": true, "loss_scale": 65536}}\n')
        self.prepare('settings["fp16.loss_scale"] > 4096', '[python3, train.py, "{config:ds.json}", device=npu]',
                     {"scale": {"kind": "ladder", "deliver": {"config": "ds.json", "key": "fp16.loss_scale"},
                                "values": [64, 1024, 4096, 65536, "dynamic"], "delivered_as": {"dynamic": 0}}}, "{scale: all}")
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["scale:scale"], done.out)
        tried = {settings["fp16.loss_scale"] for _, settings in self.attempts()}
        self.assertTrue({0, 64, 65536} <= tried, tried)

    def test_a_json_file_of_ones_own(self):
        self.prepare('settings["fp16.enabled"] is True', '[python3, train.py, "{arguments}", device=npu]',
                     {"ds": {"kind": "toggle", "toggles": {"fp16": {
                         "argument": "{file}", "suspect": "true", "safe": "false",
                         "file": {"name": "ds.json", "json": {"fp16": {"enabled": "{value}", "loss_scale": 65536}}}}}}}, "{ds: all}")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ds:fp16"])

    def test_a_list_in_a_file(self):
        """Also where nothing is neutralised the file is there, with the names that it has of itself."""
        self.write("npu.yaml", 'off: ["gelu"]\n')
        self.prepare('"conv" not in settings["off"] or "gelu" not in settings["off"]', '[python3, train.py, "{config}", device=npu]',
                     {"ops": {"kind": "list", "members": ["conv", "relu", "gelu"], "deliver": {"config": "npu.yaml", "key": "off"}}}, "{ops: all}")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:conv"])

    def test_overrides_in_the_command(self):
        """Hydra's a.b=c, Paddle's -o A.b=c, argparse's --a c."""
        self.prepare('settings["optim.fused"] == "true"', '[python3, train.py, -o, Global.device=npu, "{arguments}", device=npu]',
                     {"own": {"kind": "toggle", "toggles": {
                         "fused": {"argument": "optim.fused={value}", "suspect": "true", "safe": "false"},
                         "amp": {"argument": ["-o", "Global.use_amp={value}"], "suspect": "true", "safe": "false"},
                         "attention": {"argument": ["--attention", "{value}"], "suspect": "flash", "safe": "plain"}}}}, "{own: all}")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["own:fused"])
        for _, settings in self.attempts():
            self.assertEqual(settings["words"].count("-o"), 2)
            self.assertIn(settings["words"][settings["words"].index("--attention") + 1], ("flash", "plain"))

    def test_a_script_that_sets_a_suspect_again(self):
        """It is said before anything starts, with file and line, and the suspect is not acquitted."""
        self.write("train.py", TRAIN.replace("CAUSE", 'os.environ.get("TASK_QUEUE") == "2"'))
        self.write("pretrain.sh", '#!/bin/bash\n# as launch scripts do\nexport CONNECTIONS=1\nexport TASK_QUEUE=2\npython3 train.py "$@"\n')
        text = """\
            version: 1
            name: script
            perturb: none
            reference: {command: [bash, pretrain.sh, device=gpu]}
            subject: {command: [bash, pretrain.sh, device=npu], devices: {kind: npu, ids: [0]}}
            steps: 60
            metric: {loss: {pattern: 'steps: (?P<step>\\d+) loss: (?P<value>\\S+)'}}
            families:
              flags:
                kind: toggle
                toggles:
                  TASK_QUEUE: {environment: TASK_QUEUE, suspect: "2", safe: "0"}
                  MULTI_STREAM: {environment: MULTI_STREAM, suspect: "1", safe: "0"}
            suspects: {flags: all}
            """
        self.write("experiment.yaml", text)
        said = "pretrain.sh:4: this line sets TASK_QUEUE itself, so what bisectd sets never arrives"
        self.assertIn(f"warning  {said}", self.bisectd("check", "experiment.yaml", code=0).out)
        self.assertIn("write export TASK_QUEUE=${TASK_QUEUE:-2}", self.bisectd("plan", "experiment.yaml", code=0).err)
        done = self.bisectd("run", "experiment.yaml")
        self.assertIn("pretrain.sh:4: warning: this line sets TASK_QUEUE itself", done.err)
        self.assertIn("The cause is flags:TASK_QUEUE, or outside the 2 suspects: with all others neutralised loss still differs by", done.out)
        self.assertIn("script: cause not found", done.out)
        self.assertEqual([(one["name"], one["why"]) for one in self.report()["no_effect"]],
                         [("TASK_QUEUE", "pretrain.sh:4 sets TASK_QUEUE itself, so what bisectd sets never arrives")])
        refused = self.bisectd("trial", "experiment.yaml", "--off", "TASK_QUEUE", code=2)
        self.assertIn("flags:TASK_QUEUE cannot be switched off: pretrain.sh:4", refused.err)
        self.write("experiment.yaml", text.replace("suspects: {flags: all}", "suspects: {flags: [TASK_QUEUE]}"))
        self.assertIn("pretrain.sh:4: this line sets TASK_QUEUE", self.bisectd("run", "experiment.yaml", "--new", code=2).err)
        self.write("experiment.yaml", text)
        self.write("pretrain.sh", 'export TASK_QUEUE=${TASK_QUEUE:-2}\npython3 train.py "$@"\n')
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertEqual(self.culprits(self.report()), ["flags:TASK_QUEUE"])


if __name__ == "__main__":
    unittest.main()
