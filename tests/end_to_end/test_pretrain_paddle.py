"""A transformer on the real PaddlePaddle that is trained and logs as PaddleNLP's Trainer does, on the stand-in NPU."""
import json
import re
import subprocess

import yaml

from paddle_space import PYTHON, STANDIN, WARM, WarmSpace, main
from space import SOURCE

FOLDER = SOURCE / "examples/paddlenlp"


class Pretrain(WarmSpace):
    def experiment(self, faults, subject=(), **changed):
        """The example's own, with another fault and other words of the subject's command."""
        experiment = yaml.safe_load((FOLDER / "experiment.yaml").read_text())
        self.write("faults.json", json.dumps({"faults": faults}))
        for side, words in (("reference", ()), ("subject", subject)):
            command = [*WARM, str(FOLDER / "run_pretrain.py"), str(FOLDER / "pretrain.json"), *experiment[side]["command"][3:]]
            experiment[side]["command"] = [*command, *words]
            experiment[side]["environment"]["CUSTOM_DEVICE_ROOT"] = str(STANDIN)
        experiment["subject"]["environment"]["STANDIN_NPU_FAULTS"] = str(self.folder / "faults.json")
        self.write("experiment.yaml", json.dumps({**experiment, **changed}))

    def test_the_example(self):
        self.bisectd("run", FOLDER / "experiment.yaml", "--out", self.folder / "bisectd-out", code=1, timeout=900)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:layer_norm_grad"])
        agreed = set(report["agreed_checks"])
        self.assertLessEqual({"mixed_precision", "loss_scale", "global_batch", "learning_rate", "seed", "dataset_size", "parameters"}, agreed)

    def train(self, wrong=(), code=0, **environment):
        """Losses of three steps without rounding, with these operators wrong."""
        faults = self.write("faults.json", json.dumps({"rounding": 0, "faults": [{"op": op, "relative": 0.3} for op in wrong]}))
        done = subprocess.run([*WARM, str(FOLDER / "run_pretrain.py"), str(FOLDER / "pretrain.json"), "--device", "npu", "--max_steps", "5",
                               "--warmup_steps", "1", "--output_dir", str(self.folder)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=self.environment({"CUSTOM_DEVICE_ROOT": str(STANDIN), "STANDIN_NPU_FAULTS": str(faults),
                                                    "PYTHONPATH": str(SOURCE / "configs/presets/python"), **environment}))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, re.findall(r"] - loss: (\S+),", done.stdout)

    def test_a_pass_that_is_moved_leaves_the_other_one_to_the_device(self):
        listed, healthy = self.train(BISECTD_PADDLE_LIST_LAYER_OPS="1")
        names = re.findall(r"ran (\S+/\w+) on the device", listed)
        backward = [name for name in names if name.endswith("_grad")]
        forward = [name for name in names if name not in backward]
        self.assertNotIn("words/embedding", forward)  # refused below
        self.assertLessEqual({"words/embedding_grad", "blocks.0.attention/softmax_grad", "blocks.1.norm1/layer_norm_grad"}, set(backward))
        wrong = "softmax", "layer_norm", "gelu", "matmul_v2"
        wrong_backward = [f"{op}_grad" for op in wrong]
        off = dict(BISECTD_PADDLE_CPU_LAYER_OPS=",".join(forward))
        self.assertEqual(self.train(wrong, **off)[1], healthy)
        spoilt = self.train(wrong_backward)[1]
        self.assertNotEqual(spoilt, healthy)
        self.assertEqual(self.train(wrong_backward, **off)[1], spoilt)
        self.assertEqual(self.train(wrong_backward, BISECTD_PADDLE_CPU_LAYER_OPS=",".join(backward))[1], healthy)
        self.assertIn("cannot move words/embedding: its backward goes to the CPU with it",
                      self.train(code=3, BISECTD_PADDLE_CPU_LAYER_OPS="words/embedding")[0])

    def test_another_learning_rate_is_named_before_the_night(self):
        self.experiment([], subject=["--learning_rate", "0.002"])
        done = self.bisectd("run", "experiment.yaml", code=3, timeout=300)
        self.assertIn("no search was made. learning_rate: the log of the reference says '0.003', that of the subject '0.002'", done.out)

    def test_init_recognises_it(self):
        for name in ("run_pretrain.py", "transformer.py", "pretrain.json"):
            self.write(name, (FOLDER / name).read_text())
        self.write("bin/python", "").unlink()
        (self.folder / "bin/python").symlink_to(PYTHON)
        text = self.bisectd("init", "paddle-npu", "-o", "-", code=0).out
        experiment = yaml.safe_load(text)
        self.assertEqual(experiment["metric"], "loss")
        for words in (experiment["reference"]["command"], experiment["subject"]["command"]):
            self.assertEqual(words[:3], ["python", "run_pretrain.py", "CONFIG.json"])
            done = subprocess.run([str(PYTHON), words[1], "pretrain.json", *(word.replace("{attempt}", str(self.folder)) for word in words[3:]),
                                   "--device", "cpu", "--max_steps", "2"], cwd=self.folder, capture_output=True, text=True,
                                  env=self.environment({}))
            self.assertEqual(len(re.findall("global_step: ", done.stdout)), 2, done.stderr)


if __name__ == "__main__":
    main()
