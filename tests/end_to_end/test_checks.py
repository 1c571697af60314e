"""Facts that both sides must agree on, declared as `checks`: no night is spent on two different trainings."""
import json
import sys
import unittest

from space import HOSTILE, Space, hostile_experiment


class Checks(Space):
    def run_with(self, checks, *options, code):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", *options, extra=f"checks: {checks}"))
        return self.bisectd("run", "experiment.yaml", code=code)

    def launched(self):
        return [record for record in self.journal() if record["kind"] == "attempt-started"]

    def test_equal_sides_are_searched(self):
        self.write("train_list.txt", "a\nb\n")
        self.run_with("{dataset: {command: [md5sum, train_list.txt]}}", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_an_output_that_differs_is_shown_before_anything_is_launched(self):
        self.write("digest", '#!/bin/sh\necho same\necho "${BISECTD_SIDE:-gpu}"\n').chmod(0o755)
        self.write("experiment.yaml", hostile_experiment(
            "--cause", "op3=3", subject="environment: {BISECTD_SIDE: npu}",
            extra="checks: {split: {command: [./digest]}}"))
        done = self.bisectd("run", "experiment.yaml", code=3)
        self.assertIn("split: the reference has 'gpu', the subject 'npu'", done.out)
        self.assertEqual(self.launched(), [])
        self.assertEqual(self.report()["outcome"], "inconclusive")
        again = self.bisectd("resume", "bisectd-out/latest", code=3)
        self.assertIn("split: the reference has 'gpu'", again.out)

    def test_a_command_that_fails_is_no_difference_but_an_error(self):
        done = self.run_with("{dataset: {command: [md5sum, nothere]}}", code=4)
        self.assertIn("the check dataset failed on the side of the reference", done.out + done.err)

    def test_what_the_logs_say_must_agree(self):
        done = self.run_with("{samples: {pattern: 'avg_samples: (?P<value>[0-9.]+)'}}", code=1)
        done = self.run_with("{step: {pattern: 'global_step: (?P<value>101),'}}", "--steps", "120", code=3)
        self.assertIn("step: the log of the reference says nothing, that of the subject '101'", done.out)
        self.assertEqual({record["role"] for record in self.journal() if record["kind"] == "trial"}, {"reference", "as-is"})

    def test_check_evaluates_them_before_and_after_a_run_of_each_side(self):
        self.write("train_list.txt", "a\n")
        self.write("experiment.yaml", hostile_experiment(
            "--cause", "op3=3", subject="environment: {BISECTD_SIDE: npu}",
            extra="checks: {data: {command: [cat, train_list.txt]}, step: {pattern: 'global_step: (?P<value>9[0-9]),'}}"))
        done = self.bisectd("check", "experiment.yaml", code=0)
        self.assertIn("ok       checks.data: both sides say the same", done.out)
        self.assertIn("checks.step: what both logs say is compared once", done.out)
        self.assertIn("ok       checks.step: the logs agree", self.bisectd("check", "experiment.yaml", "--run", code=0).out)
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("[cat, train_list.txt]", "[sh, -c, 'echo ${BISECTD_SIDE:-gpu}']"))
        done = self.bisectd("check", "experiment.yaml", "--run", code=3)
        self.assertIn("error    checks.data: the reference has 'gpu', the subject 'npu'", done.out)
        self.assertNotIn("points in", done.out)
        self.write("experiment.yaml", text.replace("(?P<value>9[0-9])", "(?P<value>101)").replace('"--cause"', '"--steps", "120", "--cause"'))
        done = self.bisectd("check", "experiment.yaml", "--run", code=3)
        self.assertIn("error    checks.step: the log of the reference says nothing, that of the subject '101'", done.out)
        self.write("experiment.yaml", text.replace("[cat, train_list.txt]", "[cat, nothere]"))
        self.assertIn("the check data failed on the side of the reference", self.bisectd("check", "experiment.yaml", code=4).out)

    def standard(self, there, here, checks="standard", **more):
        """Both sides print settings as PaddleOCR does, before the training begins."""
        lines = {side: "; ".join(f"echo '[2024/12/09 16:00:51] ppocr INFO: {line}'" for line in said)
                 for side, said in (("gpu", there), ("npu", here))}
        for side, said in lines.items():
            self.write(side, f'#!/bin/sh\n{said}\nexec {HOSTILE} "$@"\n').chmod(0o755)
        text = hostile_experiment("--cause", "op3=3", extra=f"checks: {checks}", **more).replace(
            "name: hostile\n", "name: hostile\nextends: generic\n")
        one, _, other = text.partition("subject:")
        self.write("experiment.yaml", one.replace(f'"{HOSTILE}"', "./gpu") + "subject:" + other.replace(f'"{HOSTILE}"', "./npu"))

    def test_standard_checks_compare_what_both_logs_say(self):
        common = ["    use_amp : True", "Optimizer : ", "        learning_rate : 0.001"]
        self.standard(["    use_amp : true", "        learning_rate : 1e-3", "    seed : 1024"], common)
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertIn("checks.seed: only the log of the reference says it: '1024'", done.out + done.err)
        self.assertEqual(self.report()["agreed_checks"], ["mixed_precision", "learning_rate"])
        said = self.bisectd("check", "experiment.yaml", "--run", code=0).out
        self.assertIn("ok       checks.mixed_precision: the logs agree", said)
        self.assertIn("warning  checks.seed: only the log of the reference says it", said)
        self.assertIn("neither log says anything of amp_level, dtype", said)
        self.standard(["    use_amp : False"], common)
        done = self.bisectd("run", "experiment.yaml", "--new", code=3)
        self.assertIn("mixed_precision: the log of the reference says 'False', that of the subject 'True'", done.out)
        self.standard(["    use_amp : False"], common, checks="{standard: true, mixed_precision: none}")
        self.bisectd("run", "experiment.yaml", "--new", code=1)

    def test_the_batch_of_all_devices(self):
        def batches(there, here):
            self.standard(["Eval : ", "        batch_size_per_card : 7", "Train : ", f"        batch_size_per_card : {there}"],
                          ["Train : ", f"        batch_size_per_card : {here}"], devices="[0, 1], per_trial: 2")
        batches(128, 64)
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertIn("an attempt of the reference trains on 1 device, one of the subject on 2 devices", done.err)
        batches(128, 128)
        done = self.bisectd("run", "experiment.yaml", "--new", code=3)
        self.assertIn("batch_of_all_devices: the log of the reference says '128', that of the subject '256'", done.out)

    def test_commands_that_train_on_another_batch_are_told_before_a_run(self):
        self.standard(["    seed : 1"], ["    seed : 1"])
        text = (self.folder / "experiment.yaml").read_text()
        for side, batch in (("gpu", 16), ("npu", 8)):
            text = text.replace(f'[./{side}, ', f'[./{side}.sh, --per_device_train_batch_size, "{batch}", --gradient_accumulation_steps, "2", ')
            self.write(f"{side}.sh", f'#!/bin/sh\nshift 4\nexec ./{side} "$@"\n').chmod(0o755)
        self.write("experiment.yaml", text)
        differ = "the command of the reference says 1 device x 16 x 2 = 32, that of the subject 1 device x 8 x 2 = 16"
        self.assertIn(f"checks.batch_and_accumulation: {differ}", self.bisectd("check", "experiment.yaml", code=0).out)
        self.assertIn(differ, self.bisectd("run", "experiment.yaml").err)

    def test_where_neither_log_says_anything_the_first_loss_is_compared(self):
        self.standard(["    seed : 1"], ["    seed : 1"])
        told = "checks: neither log says anything of batch and learning rate, so the first loss is compared: .* apart"
        self.assertRegex(self.bisectd("check", "experiment.yaml", "--run", code=0).out, f"warning  {told}: other data, another batch")
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace('"op3=3"', '"op3=0.001"'))
        self.assertRegex(self.bisectd("check", "experiment.yaml", "--run", code=0).out, f"ok       {told}\n")
        self.standard(["        learning_rate : 0.001"], ["        learning_rate : 0.001"])
        self.assertNotIn("is compared", self.bisectd("check", "experiment.yaml", "--run", code=0).out)

    def test_learning_rates_are_compared_step_by_step(self):
        self.write("train.py", """\
            import sys
            for step in range(1, 41):
                print(f"step {step} lr {1e-3 if step < 20 else float(sys.argv[1])} loss {2 + 3 / step:.6f}", flush=True)
            """)
        for rate, told in (("1e-4", "ok       checks: the learning rates agree at 40 steps"),
                           ("2e-4", "warning  checks: the learning rate is 0.0001 at step 20 of the reference, and 0.0002 of the subject")):
            self.write("experiment.yaml", f"""\
                version: 1
                name: rates
                reference: {{command: [python3, train.py, "1e-4"]}}
                subject: {{command: [python3, train.py, "{rate}"]}}
                metric: loss
                families: {{ops: {{kind: list, deliver: {{environment: OFF}}}}}}
                suspects: {{ops: [a]}}
                """)
            self.assertIn(told, self.bisectd("check", "experiment.yaml", "--run").out)

    def test_accumulated_steps_count_as_one(self):
        def log(side, batch, steps):
            return [f"per_device_train_batch_size={batch}," , f"gradient_accumulation_steps={steps},"]
        for here, code in (("8, 4", 1), ("8, 2", 3)):
            self.standard(log("gpu", 16, 2), log("npu", *map(int, here.split(", "))))
            for side in ("gpu", "npu"):
                script = self.folder / side
                script.write_text(script.read_text().replace("[2024/12/09 16:00:51] ppocr INFO: ", ""))
            done = self.bisectd("run", "experiment.yaml", "--new", code=code)
        self.assertIn("batch_and_accumulation: the log of the reference says '32', that of the subject '16'", done.out)

    def test_a_recorded_reference_carries_them(self):
        self.standard(["    seed : 1024"], ["    seed : 7"])
        self.bisectd("record", "experiment.yaml", "-o", "reference.json", code=0)
        self.assertEqual(json.loads((self.folder / "reference.json").read_text())["checks"], {"seed": "1024"})
        text = (self.folder / "experiment.yaml").read_text()
        start, end = text.index("reference:"), text.index("subject:")
        self.write("experiment.yaml", text[:start] + "reference: {curve: reference.json}\n" + text[end:])
        done = self.bisectd("run", "experiment.yaml", code=3)
        self.assertIn("seed: the log of the reference says '1024', that of the subject '7'", done.out)

    def test_a_recorded_log_cannot_run_a_command(self):
        self.write("gpu.log", "epoch: [1/1], global_step: 1, loss: 2.0\n")
        text = hostile_experiment("--cause", "op3=3", extra="checks: {dataset: {command: [md5sum, x]}}")
        start, end = text.index("reference:"), text.index("subject:")
        self.write("experiment.yaml", text[:start] + "reference: {curve: gpu.log}\n" + text[end:])
        done = self.bisectd("run", "experiment.yaml", code=2)
        self.assertIn("of the reference there is only a log", done.err)
        self.assertIn("bisectd record", done.err)
        self.assertFalse(list((self.folder / "bisectd-out").glob("hostile-*")))


class Versions(Space):
    """Where presets look for them: cann for CANN, torch-cuda for cuDNN."""

    def found(self, environment):
        text = hostile_experiment("--cause", "op3=3", subject=f"environment: {environment}")
        self.write("experiment.yaml", text.replace("name: hostile\n", "name: hostile\nextends: cann\n"))
        clean = {"ASCEND_TOOLKIT_HOME": "", "ASCEND_HOME_PATH": ""}
        self.bisectd("run", "experiment.yaml", "--new", code=1, environment=clean)
        return self.report()["versions"].get("cann")

    def test_the_toolkit_that_was_sourced(self):
        for home, version in (("a", "8.3.RC2"), ("b", "8.5.0")):
            self.write(f"{home}/aarch64-linux/ascend_toolkit_install.info", f"package_name=Ascend\nversion={version}\narch=aarch64\n")
        (self.folder / "empty").mkdir()
        a, b, empty = (f"{self.folder}/{name}" for name in ("a", "b", "empty"))
        self.assertEqual(self.found(f"{{ASCEND_TOOLKIT_HOME: {a}, ASCEND_HOME_PATH: {b}}}"), "8.3.RC2")
        self.assertEqual(self.found(f"{{ASCEND_HOME_PATH: {b}}}"), "8.5.0")
        self.assertEqual(self.found(f"{{ASCEND_TOOLKIT_HOME: {empty}, ASCEND_HOME_PATH: {b}}}"), None)  # not that of another

    def test_cudnn_is_that_of_the_pythons_environment_that_trains(self):
        self.write("site/torch.py", "class backends:\n    class cudnn:\n        version = lambda: 90100\n")
        python = self.write("venv/bin/python", f'#!/bin/sh\nPYTHONPATH={self.folder}/site:$PYTHONPATH exec {sys.executable} "$@"\n')
        python.chmod(0o755)
        self.write("train.py", 'for step in range(1, 31): print(f"step {step} loss {3 / step}", flush=True)\n')
        self.write("experiment.yaml", f"""\
            version: 1
            name: cudnn
            extends: torch-cuda
            perturb: none
            reference: {{command: [{python}, train.py], repeats: 2}}
            subject: {{command: [{python}, train.py], devices: {{kind: cpu, ids: [0]}}}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            suspects: {{flags: all}}
            """)
        self.bisectd("run", "experiment.yaml", code=0)
        self.assertEqual(self.report()["versions"].get("cudnn"), "90100")

    def test_a_word_in_braces_that_is_none(self):
        text = hostile_experiment(extra="versions: {tool: {command: [sh, -c, 'echo ${HOME}']}}")
        self.write("experiment.yaml", text)
        self.assertIn("{HOME}", self.bisectd("check", "experiment.yaml", code=2).err)


if __name__ == "__main__":
    unittest.main()
