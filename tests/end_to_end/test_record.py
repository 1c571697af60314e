"""A reference from another machine: `record` writes one file there, `reference: {curve: ...}` uses it here, checks included."""
import json
import shutil
import time
import unittest

from space import HOSTILE, Space, hostile_experiment

CHECKS = """checks: {data: {command: [cat, list.txt]}, step: {pattern: 'global_step: (?P<value>9[0-9]),'}}
versions: {tool: {command: [./tool]}}
"""


def without(text, *blocks):
    """The experiment without these top-level blocks."""
    lines, kept = text.splitlines(), []
    skipping = False
    for line in lines:
        if line and not line[0].isspace():
            skipping = line.split(":")[0] in blocks
        if not skipping:
            kept.append(line)
    return "\n".join(kept) + "\n"


class Record(Space):
    def setUp(self):
        super().setUp()
        for machine, version in (("gpu", "1.0"), ("npu", "1.1")):
            self.write(f"{machine}/list.txt", "a\nb\n")
            self.write(f"{machine}/tool", f"#!/bin/sh\necho {version}\n").chmod(0o755)
        self.text = hostile_experiment("--cause", "op3=3") + CHECKS

    def record(self, *options, code=0, text=None):
        self.write("gpu/gpu.yaml", text or without(self.text, "subject", "suspects", "families"))
        return self.bisectd("record", "gpu/gpu.yaml", "-o", "gpu/reference.json", "--out", "gpu/out", *options, code=code)

    def subject(self, curve="reference.json", extra=None, text=None):
        text = text or self.text
        start, end = text.index("reference:"), text.index("subject:")
        self.write("npu/npu.yaml", text[:start] + f"reference: {{curve: {curve}}}\n" + text[end:])

    def test_one_file_takes_runs_checks_and_versions_along(self):
        done = self.record()
        self.assertIn("wrote gpu/reference.json: loss of hostile, 5 runs", done.out)
        self.assertIn("check data: a\\nb", done.out)
        recorded = json.loads((self.folder / "gpu/reference.json").read_text())
        self.assertEqual(recorded["perturbed"], [0, 1, 2, 3, 4])
        self.assertEqual(recorded["checks"]["data"], "a\nb")
        self.assertEqual(recorded["checks"]["step"], ", ".join(map(str, range(90, 100))))
        self.assertEqual(recorded["versions"], {"tool": "1.0"})
        shutil.move(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        self.subject()
        done = self.bisectd("check", "npu/npu.yaml", "--run", code=0)
        self.assertIn("reference: 5 runs in npu/reference.json, recorded 2", done.out)
        self.assertIn("checks.data: both sides say the same", done.out)
        self.assertIn("checks.step: the logs agree", done.out)
        self.bisectd("run", "npu/npu.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertEqual({trial["role"] for trial in report["trial_list"]} & {"reference"}, set())
        self.assertIn("the reference was recorded with other software: tool 1.0 there, 1.1 here", report["warnings"])
        self.assertEqual(report["changes"], [])
        self.bisectd("resume", "bisectd-out/latest", code=1)

    def test_the_file_of_the_search_does_too(self):
        """Also with what is only on the other machine: suspects in a file, a program."""
        text = self.text.replace("ops: [" + ", ".join(f"op{i}" for i in range(8)) + "]", "ops: {file: gone.txt}")
        self.assertIn("gone.txt", text)
        self.record(text=text.replace(f'subject:\n  command: ["{HOSTILE}"', 'subject:\n  command: ["./gone"'))

    def test_the_run_directory_can_be_looked_at(self):
        """Also where the file describes a subject, which was not looked at."""
        for text in (None, self.text):
            self.record("--yes", text=text)
            folder = max(self.folder.glob("gpu/out/hostile-record-*"))
            report = json.loads(self.bisectd("report", folder, "-f", "json", code=0).out)
            self.assertEqual([trial["role"] for trial in report["trial_list"]], ["reference"])
            self.assertEqual(len(report["curves"]["reference"]["steps"]), 100)
            self.assertNotIn("changed", self.bisectd("status", folder, code=0).out)
            self.assertIn("by hand", self.bisectd("resume", folder, code=2).err)

    def test_checks_that_do_not_agree(self):
        self.record()
        shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        self.subject()
        self.write("npu/list.txt", "a\nc\n")
        done = self.bisectd("run", "npu/npu.yaml", code=3)
        self.assertIn("data: the reference has 'b', the subject 'c'", done.out)
        self.assertEqual([one for one in self.journal() if one["kind"] == "attempt-started"], [])
        self.write("npu/list.txt", "a\nb\n")
        self.subject(text=self.text.replace("(?P<value>9[0-9])", "(?P<value>8[0-9])"))
        self.assertIn("step: the log of the reference says '90, 91", self.bisectd("run", "npu/npu.yaml", code=3).out)

    def test_a_check_that_was_not_recorded(self):
        self.record(text=without(self.text, "subject", "suspects", "families", "checks"))
        shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        self.subject()
        for command in ("run", "check"):
            done = self.bisectd(command, "npu/npu.yaml", code=2)
            self.assertRegex(done.err, r"npu.yaml:\d+:\d+: .*reference.json does not say what the check `data` is")

    def test_plain_logs(self):
        self.record("-q")
        logs = sorted((self.folder / "gpu/out").glob("hostile-record-*/trials/*/attempt-*/stdout.log"))
        for number, log in enumerate(logs[:3]):
            shutil.copy(log, self.folder / f"npu/g{number}.log")
        text = without(self.text, "checks", "versions")
        self.subject("[g0.log, g1.log, g2.log]", text=text + "checks: {step: {pattern: 'global_step: (?P<value>9[0-9]),'}}\n")
        self.assertIn("reference: 3 runs in ", self.bisectd("check", "npu/npu.yaml", "--run", code=None).out)
        self.bisectd("run", "npu/npu.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.bisectd("status", "bisectd-out/latest", code=0)
        self.write("npu/empty.json", "")
        for curve, said in (("[]", "names no file"), ("[g0.log, g9.log]", "g9.log"), ("[g0.log, g0.log]", "is named twice"),
                            ("{a: g0.log}", "`reference.curve`"), ("[list.txt]", "has no value of `loss`"), ("[empty.json]", "empty.json is empty"),
                            ("[g0.log, reference.json]", "so it stands alone")):
            shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
            self.subject(curve, text=text)
            done = self.bisectd("run", "npu/npu.yaml", code=2)
            self.assertIn(said, done.err)
            self.assertRegex(done.err, r"(?m)^npu/npu.yaml:\d+:\d+: ")

    def test_a_file_that_is_replaced_while_the_subject_runs_takes_no_training_away(self):
        self.record()
        recorded = self.folder / "npu/reference.json"
        shutil.copy(self.folder / "gpu/reference.json", recorded)
        self.subject(text=self.text.replace('"--cause"', '"--step-ms", "20", "--cause"'))
        process = self.start("run", "npu/npu.yaml")
        self.wait_for(lambda: list(self.folder.glob("bisectd-out/latest/trials/*/attempt-1/stdout.log")))
        whole = recorded.read_text()
        recorded.write_text(whole[:len(whole) // 2])
        self.assertEqual(process.wait(60), 2)
        self.assertIn("reference.json cannot be used", (self.folder / "stderr.txt").read_text())
        ended = [one for one in self.journal() if one["kind"] == "attempt-ended"]
        self.assertTrue(ended)
        recorded.write_text(whole)
        self.bisectd("resume", "bisectd-out/latest", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.assertEqual([one for one in self.journal() if one["kind"] == "attempt-ended"][:len(ended)], ended)

    def test_another_recording_is_another_question(self):
        self.record()
        self.subject(text=self.text + "search: {budget: {trials: 3}}\n")
        shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        self.bisectd("run", "npu/npu.yaml", code=3)
        self.record("--yes", text=without(self.text, "subject", "suspects", "families").replace('"0.01"', '"0.02"'))
        shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        for command in (("resume", "bisectd-out/latest", "--accept-changes"), ("resume", "bisectd-out/latest")):
            refused = self.bisectd(*command, code=2)
            self.assertIn("the recorded reference (`reference.curve`) is not the one that this run began with", refused.err)

    def test_what_it_refuses_and_when(self):
        self.record()
        self.assertIn("is there already; replace it with --yes", self.record(code=2).err)
        self.record("--yes")
        self.assertIn("--model 'a b'", self.record("--yes", "--model", "a b", code=2).err)
        self.record("--yes", "--model", "other")
        shutil.copy(self.folder / "gpu/reference.json", self.folder / "npu/reference.json")
        self.subject()
        done = self.bisectd("run", "npu/npu.yaml", code=2)
        self.assertIn("baseline of `other`", done.err)
        self.assertIn("bisectd record --model", done.err)
        self.subject(text=without(self.text, "checks", "versions"))
        self.assertIn("recorded already", self.bisectd("record", "npu/npu.yaml", "-o", "x.json", code=2).err)
        self.assertIn("is a folder", self.bisectd("record", "gpu/gpu.yaml", "-o", "gpu", code=2).err)
        self.assertIn("cannot be written", self.bisectd("record", "gpu/gpu.yaml", "-o", "/proc/none/x.json", code=2).err)
        misspelt = self.text.replace("reference:\n  command", "reference:\n  comand")
        self.assertIn("`comand`", self.record("--yes", text=misspelt, code=2).err)

    def test_a_side_or_check_that_does_not_work(self):
        self.assertIn("the check data failed on the side of the reference",
                      self.record(text=self.text.replace("list.txt", "nothere"), code=4).err)
        self.assertIn("prints more than 64 KiB",
                      self.record(text=self.text.replace("[cat, list.txt]", "[head, -c, '70000', /dev/zero]"), code=4).err)
        self.assertIn("the reference gave no curve",
                      self.record(text=self.text.replace('"--steps", "100"', '"--steps", "100", "--crash-at", "3"', 1), code=4).err)
        self.assertFalse((self.folder / "gpu/reference.json").exists())

    def test_a_signal(self):
        self.write("gpu/gpu.yaml", self.text.replace('"--steps", "100"', '"--steps", "100", "--step-ms", "100"', 1))
        process = self.start("record", "gpu/gpu.yaml", "-o", "gpu/reference.json")
        self.wait_for(lambda: list(self.folder.glob("bisectd-out/hostile-record-*/trials/*/attempt-1/stdout.log")))
        time.sleep(0.2)
        process.terminate()
        self.assertEqual(process.wait(20), 143)
        self.assertFalse((self.folder / "gpu/reference.json").exists())
        self.assertEqual(self.processes_of_this_test(), [])

    def test_a_baseline_carries_the_checks_of_its_run(self):
        self.write("npu/npu.yaml", hostile_experiment() + CHECKS)
        self.bisectd("run", "npu/npu.yaml", code=0)
        self.bisectd("accept", "bisectd-out/latest", "-o", "npu/reference.json", code=0)
        self.assertEqual(sorted(json.loads((self.folder / "npu/reference.json").read_text())["checks"]), ["data", "step"])
        self.subject()
        self.bisectd("run", "npu/npu.yaml", code=1)
        self.write("npu/list.txt", "other\n")
        self.assertIn("data: the reference has", self.bisectd("run", "npu/npu.yaml", code=3).out)


if __name__ == "__main__":
    unittest.main()
