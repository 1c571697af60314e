"""Calls of bisectd to the system that fail (tests/power_cut/recorder.cpp): nothing crashes, nobody is accused of it, and the run is resumed to
the right answer. Some games of files in the tests; more:  BISECTD_GAMES=300 BISECTD_SEED=7 python3 -B tests/end_to_end/test_failing_calls.py"""
import errno
import json
import os
import random
import signal
import unittest

from space import RECORDER, Space, hostile_experiment

GAMES, SEED = int(os.environ.get("BISECTD_GAMES", 6)), int(os.environ.get("BISECTD_SEED", 1))
# What is made, written, synced, renamed or made a folder, and how it fails; an operation of that kind there is in every run of this test.
KINDS = {"C": (errno.EMFILE, errno.ENOSPC, errno.EACCES), "W": (errno.ENOSPC, errno.EIO, errno.EDQUOT), "S": (errno.EIO, errno.ENOSPC),
         "R": (errno.EIO, errno.ENOSPC), "M": (errno.ENOSPC, errno.EACCES)}


@unittest.skipUnless(RECORDER, "a sanitizer has to be loaded before the recorder")
class FailingCalls(Space):
    def prepare(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", perturbed=False, steps=20, devices="[0, 1]"))

    def run_to_answer(self, *command):
        self.bisectd(*command, code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_a_process_that_cannot_be_started_for_a_moment_is_waited_for(self):
        self.prepare()
        for error, said in ((errno.EAGAIN, "the limit of processes is reached (ulimit -u, pids cgroup)"), (errno.ENOMEM, "not enough memory")):
            with self.subTest(said):
                done = self.bisectd("run", "experiment.yaml", "--new", code=1, environment=self.recorded(fail=f"F 5 {error}"))
                self.assertIn(f"cannot start a process: {said}: it is tried again from time to time", done.err)
                self.assertEqual(self.culprits(self.report()), ["ops:op3"])
                endings = {record["ending"] for record in self.journal() if record["kind"] == "attempt-ended"}
                self.assertLessEqual(endings, {"finished", "whole"})

    def test_where_nothing_starts_any_more_nothing_is_learnt_until_it_does(self):
        self.prepare()
        process = self.start("run", "experiment.yaml", environment=self.recorded(fail=f"F 5+ {errno.EAGAIN}"))
        self.wait_for(lambda: "tried again from time to time" in (self.folder / "stderr.txt").read_text())
        judged = [record for record in self.journal() if record["kind"] == "judged"]
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        self.assertEqual([record for record in self.journal() if record["kind"] == "judged"], judged)
        self.run_to_answer("resume", self.run_folder())

    def test_files(self):
        rng = random.Random(SEED)
        for game in range(GAMES):
            kind = rng.choice(sorted(KINDS))
            fail = f"{kind} {rng.randint(1, 40)}{rng.choice(['', '', '+'])} {rng.choice(KINDS[kind])}"
            with self.subTest(game=game, fail=fail):
                self.prepare()
                out = f"out-{game}"
                done = self.bisectd("run", "experiment.yaml", "--out", out, environment=self.recorded(fail=fail))
                self.assertGreaterEqual(done.returncode, 0, done.err)
                begun = sorted((self.folder / out).glob("hostile-*/journal.jsonl"))
                reports = sorted((self.folder / out).glob("hostile-*/report.json"))
                if reports:
                    self.assertIn(self.culprits(json.loads(reports[-1].read_text())), ([], ["ops:op3"]))
                if begun and begun[-1].read_bytes():
                    self.bisectd("resume", begun[-1].parent, code=1)
                else:
                    self.bisectd("run", "experiment.yaml", "--out", out, "--new", code=1)
                report = sorted((self.folder / out).glob("hostile-*/report.json"))[-1]
                self.assertEqual(self.culprits(json.loads(report.read_text())), ["ops:op3"])


if __name__ == "__main__":
    unittest.main()
