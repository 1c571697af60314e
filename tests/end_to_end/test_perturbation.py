"""Repeats that are samples of rounding, of a training that reads the seed itself; the shims are in test_perturbation_shims.py."""
import json
import unittest

from space import Space, hostile_experiment

PERTURB = "perturb: {environment: HOSTILE_PERTURB, made: 'hostile: perturbed (?P<value>.+)'}"


FEW_DIGITS = '''\
import math, os, random, sys
side = sys.argv[1]
off = os.environ.get("BISECTD_OFF", "").split(",")
seed = int(os.environ.get("MOVED_BY", "0"))
if seed: print(f"bisectd: perturbed 3 parameters by {9.8e-4 if 5 <= seed <= 7 else 2.4e-7:.2g} of their size (seed {seed})")
if side == "npu":
    for i in range(6):
        print(f"bisectd: {'off' if f'op{i}' in off else 'ran'} op{i}")
fault = 0.04 if side == "npu" and "op2" not in off else 0
moved, lot = 3e-5, random.Random(f"{side}{seed}{off}")
for step in range(1, 81):
    loss = 3.7 * math.exp(-step / 120) * (1 + moved * lot.gauss(0, 1)) * (1 + fault * (1 - math.exp((1 - step) / 20)))
    print(f"step {step} loss {loss:.4f}")
'''


class FewDigits(Space):
    """Runs that were moved are a digit of the log apart: their log does not show it."""

    def search(self, made, code):
        self.write("train.py", FEW_DIGITS)
        self.write("experiment.yaml", f"""\
            version: 1
            name: digits
            extends: generic
            perturb: {{environment: MOVED_BY{made}}}
            reference: {{command: [python3, train.py, gpu], repeats: 8}}
            subject: {{command: [python3, train.py, npu]}}
            metric: {{loss: {{pattern: 'step (?P<step>[0-9]+) loss (?P<value>[0-9.]+)'}}}}
            families: {{ops: {{kind: list, deliver: {{environment: BISECTD_OFF, separator: ","}}}}}}
            suspects: {{ops: {{members: [op0, op1, op2, op3, op4, op5]}}}}
            """)
        self.bisectd("run", "experiment.yaml", code=code)
        return self.report()

    def test_a_perturbation_that_does_not_show_is_said_and_a_plain_fault_found(self):
        report = self.search("", code=1)
        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertTrue([one for one in report["warnings"] if "does not show in their first values" in one])


class Repeats(Space):
    """bisectd and a training that reads the seed itself."""

    def seeds(self, report, role):
        return [attempt["perturbed"] for trial in report["trial_list"] if trial["role"] == role for attempt in trial["attempts"]]

    def run_it(self, *options, perturb=PERTURB, reference="", repeats=4, code=0, environment=None):
        text = hostile_experiment("--perturbed", "0.01", *options, extra=perturb, perturbed=False).replace("repeats: 2", f"repeats: {repeats}")
        text = text.replace('"--steps", "100"]', '"--steps", "100", "--perturbed", "0.01"' + reference + "]", 1)
        self.write("experiment.yaml", text)
        return self.bisectd("run", "experiment.yaml", code=code, environment=environment)

    def test_the_first_run_is_plain_and_repeats_have_seeds(self):
        self.run_it(environment={"HOSTILE_PERTURB": "77"})  # the shell's own must not perturb the first run
        report = self.report()
        self.assertEqual(sorted(self.seeds(report, "reference")), [0, 1, 2, 3])
        for trial in report["trial_list"]:
            for attempt in trial["attempts"]:
                script = (self.run_folder() / attempt["folder"] / "command.sh").read_text()
                seed = attempt["perturbed"]
                self.assertIn(f"export HOSTILE_PERTURB={seed}\n" if seed else "unset HOSTILE_PERTURB\n", script)
                self.assertEqual(attempt["perturbation"], "3 parameters" if seed else "")
        self.assertEqual([warning for warning in report["warnings"] if "perturbation" in warning], [])
        self.assertIn("repeats of the reference were perturbed: `3 parameters`", (self.run_folder() / "report.md").read_text())
        started = [entry for entry in self.journal() if entry["kind"] == "attempt-started" and entry["trial"] == 1]
        self.assertEqual(sorted(entry.get("perturbed", 0) for entry in started), [0, 1, 2, 3])

    def test_a_culprit_is_found_with_perturbed_repeats(self):
        self.run_it("--cause", "op3=5", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_by_argument_and_by_settings(self):
        self.run_it("{arguments}", reference=', "{arguments}"', perturb="perturb: {argument: \"HOSTILE_PERTURB={seed}\"}")
        scripts = [(self.run_folder() / attempt["folder"] / "command.sh").read_text() for attempt in self.report()["trial_list"][0]["attempts"]]
        self.assertEqual(sorted(script.count("HOSTILE_PERTURB=") for script in scripts), [0, 1, 1, 1])
        self.run_it(perturb="perturb: {switches: [{HOSTILE_PERTURB: \"5\"}, {HOSTILE_PERTURB: \"9\", LC_ALL: C}]}")
        self.assertEqual(sorted(self.seeds(self.report(), "reference")), [0, 0, 1, 2])  # two settings: the fourth is a repeat

    def test_what_is_odd_is_told_and_condemns_nobody(self):
        warning = lambda words: [one for one in self.report()["warnings"] if words in one]
        self.run_it(perturb="perturb: {environment: ANOTHER_NAME}")
        self.assertEqual(len(warning("the perturbation of the reference changed nothing that is logged")), 1)
        self.run_it(reference=', "--crash-perturbed"')
        self.assertEqual(len(warning("runs of the reference break when they are perturbed")), 1)
        self.run_it("--crash-perturbed")
        self.assertEqual(self.report()["outcome"], "aligned")
        self.run_it(perturb=PERTURB.replace("hostile: perturbed", "nobody says"))
        self.assertEqual(len(warning("nothing in the log of a perturbed run of the reference says")), 1)
        self.run_it(perturb="perturb: none")
        self.assertEqual(len(warning("repeats of the reference and the subject are not perturbed")), 1)

    def test_a_perturbation_beyond_rounding(self):
        self.run_it(reference=', "--perturbed", "50000"', code=None)
        self.assertTrue([one for one in self.report()["warnings"] if "perturbed, the reference begins with a loss that is" in one])

    def test_a_baseline_keeps_the_ensemble(self):
        self.run_it()
        self.bisectd("accept", "bisectd-out/latest", "--of", "reference", "-o", "base.json", code=0)
        baseline = json.loads((self.folder / "base.json").read_text())
        self.assertEqual(baseline["perturbed"], [0, 1, 2, 3])
        self.assertEqual(len(baseline["points"]["loss"][0]), 5)
        text = (self.folder / "experiment.yaml").read_text()
        start, end = text.index("  command"), text.index("subject:")
        self.write("experiment.yaml", text[:start] + "  curve: base.json\n" + text[end:])
        self.bisectd("run", "experiment.yaml", code=0)
        self.assertEqual(self.report()["outcome"], "aligned")

    def test_a_resumed_reference_goes_on_with_its_seeds(self):
        text = hostile_experiment("--perturbed", "0.01", extra=PERTURB, perturbed=False).replace("repeats: 2", "repeats: 5")
        text = text.replace('"--steps", "100"]', '"--steps", "100", "--perturbed", "0.01", "--step-ms", "5"]', 1)
        self.write("experiment.yaml", text)
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.folder / "bisectd-out/latest/journal.jsonl").exists()
                      and sum(entry["kind"] == "attempt-ended" for entry in self.journal()) >= 2)
        process.kill()
        process.wait()
        self.bisectd("resume", "bisectd-out/latest", code=0)
        report = self.report()
        whole = [a["perturbed"] for a in report["trial_list"][0]["attempts"] if a["exit"] == "exited 0" or "killed while" in a["exit"]]
        self.assertEqual(sorted(whole), [0, 1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
