"""Failures of what lies around the search: when their cause is mended, `run` and `resume` try again, and what the search has found
is never lost between two lines of the journal."""
import json
import re
import signal
import sys
import unittest

from space import HOSTILE, Space, hostile_experiment


class FailedEnds(Space):
    def prepare(self, *options, side="subject", **experiment):
        """A training that dies while the file `broken` is there."""
        text = hostile_experiment("--cause", "op3=3", *options, **experiment)
        wrapper = f'["sh", "-c", "test ! -e {self.folder}/broken || kill -9 $$; exec \\"$@\\"", "sh", "{HOSTILE}"'
        before, after = text.split(f"{side}:\n", 1)
        self.write("experiment.yaml", before + f"{side}:\n" + after.replace(f'["{HOSTILE}"', wrapper, 1))

    def assert_tries_again(self, command, side):
        self.prepare(side=side)
        (self.folder / "broken").touch()
        said = self.bisectd("run", "experiment.yaml", "--new", code=4)
        self.assertIn("killed by SIGKILL", said.err + said.out)
        self.assertIn("killed by SIGKILL", self.bisectd("report", self.run_folder()).out)
        first = self.report()["trial_list"][-1]
        self.bisectd(*command, code=4)
        again = self.report()["trial_list"][-1]
        self.assertEqual(first["number"], again["number"])
        self.assertGreater(len(again["attempts"]), len(first["attempts"]), "nothing was launched")
        (self.folder / "broken").unlink()
        self.bisectd(*command, code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        shown = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
        self.assertEqual({key: value for key, value in shown.items() if key not in ("warnings", "elapsed_s")},
                         {key: value for key, value in self.report().items() if key not in ("warnings", "elapsed_s")})
        before = sum(r["kind"] == "attempt-started" for r in self.journal())
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(before, sum(r["kind"] == "attempt-started" for r in self.journal()))

    def test_a_subject_that_trains_fewer_steps_is_refused_though_it_fails_before_its_end(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--truncate-at", "80"))
        for command in (("run", "experiment.yaml"), ("resume", "bisectd-out/latest")):
            done = self.bisectd(*command, code=4)
            self.assertRegex(done.out, "loss ends at step 80 of 100 .*the subject ends before its reference does: .*`steps: 80`")
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--truncate-at", "80", extra="steps: 80"))
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_a_refusal_ends_what_runs_on_other_devices_before_it_is_said(self):
        before, after = hostile_experiment("--cause", "op3=3", "--slow", "op0=40", devices="[0, 1, 2]",
                                           search="search: {signature_steps: 0}").split("subject:\n", 1)
        wrapper = ('["sh", "-c", "case $HOSTILE_OFF in *op0*) exec \\"$@\\";; *op3*) exec \\"$@\\" --truncate-at 80;; '
                   '*) exec \\"$@\\" --truncate-at 80 --nan-from 40;; esac", "sh", "' + HOSTILE + '"')
        self.write("experiment.yaml", before + "subject:\n" + after.replace(f'["{HOSTILE}"', wrapper, 1))
        self.bisectd("run", "experiment.yaml", code=4)
        journal = self.journal()
        open_attempts = ({(r["trial"], r["attempt"]) for r in journal if r["kind"] == "attempt-started"} -
                         {(r["trial"], r["attempt"]) for r in journal if r["kind"] == "attempt-ended"})
        self.assertTrue(open_attempts, "nothing ran beside what was refused")
        self.assertIn("stopped: the subject ends before its reference does", (self.run_folder() / "bisectd.log").read_text())
        self.assertFalse(any(trial["running"] for trial in self.report()["trial_list"]))

    def test_a_second_one_is_refused_and_writes_into_no_log_of_the_first(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "20"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and (self.run_folder() / "bisectd.log").exists() and self.journal())
        said = self.bisectd("resume", self.run_folder(), code=4).err
        self.assertIn(f"another bisectd (process {process.pid}) is driving this run", said)
        self.assertNotIn("another bisectd", (self.run_folder() / "bisectd.log").read_text())
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)

    def test_an_end_that_cannot_begin_is_tried_twice_and_its_exception_is_shown(self):
        self.write("dies.py", "import no_such_module\n")
        for side in ("reference", "subject"):
            with self.subTest(side):
                text = hostile_experiment("--cause", "op3=3", repeats=8)
                before, after = text.split(f"{side}:\n", 1)
                command = f"command: [{json.dumps(sys.executable)}, {self.folder}/dies.py]"
                self.write("experiment.yaml", before + f"{side}:\n" + re.sub(r"command: .*", lambda _: command, after, count=1))
                done = self.bisectd("run", "experiment.yaml", "--new", code=4)
                why = "exited 1: ModuleNotFoundError: No module named 'no_such_module'"
                self.assertIn(why, done.out)
                self.assertIn(why, self.bisectd("report", self.run_folder()).out)
                trial = self.report()["trial_list"][-1]
                self.assertLessEqual(len(trial["attempts"]), 2)

    def test_the_subject(self):
        self.assert_tries_again(("resume", "bisectd-out/latest"), "subject")

    def test_the_reference(self):
        self.assert_tries_again(("run", "experiment.yaml"), "reference")

    def test_repeats_after_a_resume_run_together(self):
        self.prepare("--step-ms", "30", devices="[0, 1, 2]", perturbed=False, extra="accept: {max_repeats: 5}",
                     reference="devices: {kind: npu, ids: [0, 1, 2, 3]}")
        text = (self.folder / "experiment.yaml").read_text().replace("repeats: 2", "repeats: 12")
        self.write("experiment.yaml", text.replace('"100"]', '"100", "--step-ms", "10"]', 1))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and
                      any(r["kind"] == "attempt-ended" for r in self.journal()))
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = {r["attempt"] for r in self.journal() if r["kind"] == "attempt-started"}
        self.bisectd("resume", self.run_folder())
        resumed = [r for r in self.journal() if r["kind"] == "attempt-ended" and r["trial"] == 1 and r["attempt"] not in before]
        first, second = sorted(resumed, key=lambda r: r["started_s"])[:2]
        self.assertLess(second["started_s"], first["started_s"] + first["duration_s"], "one after the other")


class FindingsOfTrials(Space):
    REFUSED = 'refused: "of kernel `(?P<name>\\\\w+)` is not registered"'

    def prepare(self):
        """With op5 or op6 off the training dies and says so; the others leave traces of being off."""
        text = hostile_experiment("--cause", "op3=3", "--crash-off", "op5", "--crash-off", "op6", effect=True)
        wrapper = ('["sh", "-c", "for op in op5 op6; do case ,$HOSTILE_OFF, in *,$op,*) '
                   'echo \\"of kernel `$op` is not registered\\" >&2;; esac; done; exec \\"$@\\"", "sh", ' f'"{HOSTILE}"').replace("`", "\\\\`")
        before, after = text.split("subject:\n", 1)
        text = before + "subject:\n" + after.replace(f'["{HOSTILE}"', wrapper, 1)
        self.write("experiment.yaml", text.replace("    kind: list\n", f"    kind: list\n    {self.REFUSED}\n"))

    def test_nothing_is_lost_wherever_the_journal_ends(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        sets = [r["neutralised"] for r in self.journal() if r["kind"] == "trial"]
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        kinds = [json.loads(line)["kind"] for line in lines]
        self.assertIn("refused", kinds)
        self.assertIn("effect", kinds)
        ends = [i + 1 for i, kind in enumerate(kinds[:-1]) if kind == "judged" and i > kinds.index("suspects")]
        self.assertGreater(len(ends), 4)
        between = [i + 1 for i, kind in enumerate(kinds) if kind in ("effect", "refused")]  # then the trial is not judged yet
        no_effect = self.report()["no_effect"]
        for end in sorted({*ends[::3], *between}):
            with self.subTest(end=end):
                journal.write_bytes(b"".join(lines[:end]))
                shown = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
                if any(json.loads(line).get("role") == "search" for line in lines[:end]):  # it is known by then which ones
                    self.assertEqual([one["name"] for one in shown["not_neutralisable"]], ["op5", "op6"])
                self.bisectd("resume", self.run_folder(), code=1)
                self.assertEqual(self.culprits(self.report()), ["ops:op3"])
                self.assertEqual([r["neutralised"] for r in self.journal() if r["kind"] == "trial"], sets)
                self.assertEqual(self.report()["no_effect"], no_effect)


if __name__ == "__main__":
    unittest.main()
