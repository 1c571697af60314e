"""What neutralises something in the subject and comes from the shell that bisectd is started in: another shell lacks it."""
import json
import re
import subprocess
import sys
import unittest

from space import Space, hostile_experiment

SWITCHES = """\
  sw:
    kind: toggle
    toggles:
      SW_A: {environment: SW_A, suspect: "1", safe: "0"}
      SW_B: {environment: SW_B, suspect: "1", safe: "0"}
suspects:
  sw: all
"""


class ShellSettings(Space):
    def prepare(self, *options, **experiment):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op5=3", **experiment))

    def with_switches(self):
        self.prepare()
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("suspects:\n", SWITCHES, 1))

    def test_a_workaround_in_the_shell_is_named_wherever_it_counts(self):
        self.prepare()
        said = "the subject has HOSTILE_OFF=op3,op5 from the shell, not from this file: ops:op3, ops:op5 are neutralised in all of its runs"
        for command, code in ((("run",), 0), (("check",), 0), (("trial", "--off", "ops:op1"), 0), (("plan",), 0)):
            with self.subTest(command):
                done = self.bisectd(command[0], "experiment.yaml", *command[1:], code=code, environment={"HOSTILE_OFF": "op3,op5"})
                self.assertIn(said, done.out + done.err)
        warned = json.dumps(self.report())
        self.assertIn(said, warned)

    def test_what_the_training_sets_once_more_is_without_effect(self):
        """In its own Python, where nothing that reads launch scripts sees it; a shim says what the training has."""
        self.write("paddle.py", "")
        self.write("train.py", "import os; os.environ['SW_A'] = '1\\n\\u202e'; import paddle\n"
                               "off = os.environ['SW_A'] == '0' or os.path.basename(os.getcwd()) == 'reference'\n"
                               "for step in range(1, 101): print(f'step: {step}, loss: {3 / step + 1 + (0 if off else 0.2)}')\n")
        self.write("experiment.yaml", f"""\
version: 1
name: set_once_more
reference: {{command: [{sys.executable}, -c, "for s in range(1, 101): print(f'step: {{{{s}}}}, loss: {{{{3 / s + 1}}}}')"], repeats: 1}}
subject: {{command: [{sys.executable}, train.py], devices: {{kind: none, ids: [0]}}}}
families:
  sw:
    kind: toggle
    environment: {{PYTHONPATH: "{{presets}}/python"}}
    effect: {{gone_from_log: 'bisectd: cannot set (?P<name>\\w+): (?P<detail>.+)'}}
    toggles:
      SW_A: {{environment: SW_A, suspect: "1", safe: "0"}}
      SW_B: {{environment: SW_B, suspect: "1", safe: "0"}}
suspects: {{sw: all}}
steps: 100
""")
        self.bisectd("run", "experiment.yaml", code=3)
        report = self.report()
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertEqual([(one["name"], one["why"]) for one in report["no_effect"]],
                         [("SW_A", "it was set to '0', and the training has '1\\n\\u202e'")])
        (everything,) = {trial["number"] for trial in report["trial_list"] if trial["role"] == "everything"}
        log = (self.run_folder() / f"trials/{everything:04}/attempt-1/stdout.log").read_text()
        self.assertIn("bisectd: cannot set SW_A: it was set to '0', and the training has '1\\n\\u202e'", log)
        self.assertNotIn("SW_B", log)

    def test_what_the_experiment_says_is_no_matter_of_the_shell(self):
        self.prepare(subject="environment: {HOSTILE_OFF: op3}")
        done = self.bisectd("run", "experiment.yaml", code=1, environment={"HOSTILE_OFF": "op3"})
        self.assertNotIn("from the shell", done.err)
        self.prepare(subject="unset: [HOSTILE_OFF]")
        done = self.bisectd("run", "experiment.yaml", code=1, environment={"HOSTILE_OFF": "op3,op5"})
        self.assertNotIn("from the shell", done.err)
        self.assertEqual(self.culprits(self.report()), ["ops:op3", "ops:op5"])

    def test_the_workaround_has_it_too(self):
        self.with_switches()
        self.bisectd("run", "experiment.yaml", code=1, environment={"HOSTILE_OFF": "op3", "SW_A": "0"})
        self.assertEqual(self.culprits(self.report()), ["ops:op5"])
        workaround = (self.run_folder() / "workaround.sh").read_text()
        self.assertIn("export SW_A='0'", workaround)
        self.assertIn("export HOSTILE_OFF='op3,op5'", workaround)
        self.assertNotIn("SW_B", workaround)

    def test_an_attempt_by_hand_is_the_same_in_any_shell(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1, environment={"HOSTILE_OFF": "op5"})
        as_is = next(record["trial"] for record in self.journal() if record["kind"] == "trial" and record["role"] == "as-is")
        attempt = next(self.run_folder().glob(f"trials/{as_is:04}*/*1"))
        logged = (attempt / "stdout.log").read_text()
        for shell in ({}, {"HOSTILE_OFF": "op3,op5"}, {"HOSTILE_PERTURB": "3"}):
            done = subprocess.run(["sh", str(attempt / "command.sh")], cwd=self.folder, env=self.environment(shell), capture_output=True,
                                  text=True, check=True)
            losses = re.compile(r"loss: [\d.]+")
            self.assertEqual(losses.findall(done.stdout), losses.findall(logged), shell)

    def test_a_run_does_not_go_on_in_another_shell(self):
        self.prepare()
        process = self.start("run", "experiment.yaml", environment={"HOSTILE_OFF": "op5"})
        self.wait_for(lambda: (self.folder / "bisectd-out/latest/journal.jsonl").exists() and len(self.journal()) > 12)
        process.kill()
        process.wait()
        before = (self.run_folder() / "journal.jsonl").read_bytes()
        for shell, change in (({}, "\n  - HOSTILE_OFF=op5\n"), ({"HOSTILE_OFF": "op5,op3"}, "\n  - HOSTILE_OFF=op5\n  + HOSTILE_OFF=op5,op3\n")):
            refused = self.bisectd("resume", self.run_folder(), code=2, environment=shell)
            self.assertIn("the shell has other settings of the subject than when this run began:" + change, refused.err)
        self.assertEqual((self.run_folder() / "journal.jsonl").read_bytes(), before)
        self.bisectd("resume", self.run_folder(), code=1, environment={"HOSTILE_OFF": "op5"})
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_a_green_suite_in_such_a_shell_says_so_and_is_judged_anew_in_another(self):
        self.write("version.info", "8.0\n")
        self.prepare(extra="versions: {cann: {file: version.info}}")
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        shell = {"HOSTILE_OFF": "op3,op5"}
        self.assertRegex(self.bisectd("ci", "suite.yaml", code=0, environment=shell).out, "warning: .*the subject has HOSTILE_OFF=op3,op5 from the shell")
        self.assertIn("unchanged", self.bisectd("ci", "suite.yaml", "--changed-only", code=0, environment=shell).out)
        self.bisectd("ci", "suite.yaml", "--changed-only", code=1)


if __name__ == "__main__":
    unittest.main()
