"""Stops at random moments, then `resume` until the run is at its end: nothing is lost, repeated, left running or answered otherwise.

A few games in the tests; a campaign:  BISECTD_GAMES=1000 BISECTD_SEED=7 python3 -B tests/end_to_end/test_kills.py Kills
(BISECTD and HOSTILE_TRAINER name the programs; BISECTD_SLURM_GAMES: games through jobs of a private Slurm; BISECTD_STOPS="KILL,KILL at": only
these stops). It says at its end where the stops hit."""
import collections
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from space import RECORDER, Space, hostile_experiment
from test_slurm import Slurm

SEED = int(os.environ.get("BISECTD_SEED", 1))
MOST_STOPS = 8


class Games:
    # "all": whatever this test has started, in any order, as a signal to a whole control group. "at": in the middle of an operation on a file.
    HOWS = tuple(how for how in os.environ.get("BISECTD_STOPS", "KILL,KILL,KILL at,KILL at,KILL all,INT,TERM,HUP,INT all,TERM all,HUP all").split(",")
                 if RECORDER or not how.endswith(" at"))

    def launched(self, experiment):
        """The text of the experiment with its way of launching."""
        return experiment

    def plant(self, random):
        """Writes experiment.yaml; the causes to be found in it, and the number of devices."""
        suspects = random.randint(4, 12)
        culprits = random.sample(range(suspects), random.choice((1, 1, 2)))
        together = len(culprits) == 2 and random.random() < 0.5
        names = [f"op{one}" for one in culprits]
        causes = [("--cause", "+".join(names) + "=3")] if together else [("--cause", f"{name}={2 + 2 * i}") for i, name in enumerate(names)]
        step_ms, devices = random.choice(("1", "2", "4")), random.choice((1, 2, 3))
        self.write("experiment.yaml", self.launched(hostile_experiment(
            *[word for cause in causes for word in cause], "--step-ms", step_ms, suspects=suspects,
            devices=list(range(devices)), search=f"search: {{seed: {random.randrange(1000)}}}")))
        return [sorted(names)] if together else sorted([name] for name in names), devices

    def play(self, random):
        shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)
        expected, devices = self.plant(random)
        whole = self.run_to_its_end("run", "experiment.yaml")
        lines = self.journal_text().count("\n")
        self.assertEqual(self.causes(self.report()), expected, whole)
        shutil.rmtree(self.folder / "bisectd-out")  # and the history, which would change the odds

        command, left = ["run", "experiment.yaml"], ""
        for _ in range(random.randint(1, MOST_STOPS)):
            left = self.run_until(command, random, lines, left)
            if not (self.folder / "bisectd-out/latest").exists():  # stopped before there was a run
                shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)
                continue
            command = ["resume", "bisectd-out/latest"]
            if '"kind":"finished"' in left and random.random() < 0.7:
                break  # a whole run is resumed in no time, and hardly to be hit
        self.run_to_its_end(*command)
        self.assert_kept(left)
        self.assertEqual(self.causes(self.report()), expected)
        self.assertEqual(self.processes_of_this_test(), [])
        self.assert_nothing_repeated(devices)

    def run_to_its_end(self, *command):
        return self.bisectd(*command, code=1, timeout=120).out

    def journal_text(self):
        journal = self.folder / "bisectd-out/latest/journal.jsonl"
        return journal.read_text(errors="replace") if journal.exists() else ""

    def assert_kept(self, before):
        """Whole lines of an earlier journal are still there, in their order."""
        whole = before[:before.rfind("\n") + 1]
        self.assertTrue(self.journal_text().startswith(whole), "the journal has lost lines")

    def run_until(self, command, random, whole, before):
        """Starts it, stops it at a random moment; the journal as it is then. A whole run has about `whole` lines there."""
        how = random.choice(self.HOWS)
        number = getattr(signal, "SIG" + how.split()[0])
        settings = {"kill_at": random.randint(1, random.choice((20, 80, 400)))} if how.endswith(" at") else {}
        process = self.start(*command, environment=self.recorded(**settings) if settings else None)
        have = before.count("\n")
        until = have + random.randint(0, max(1, (whole - have) // 3))
        pause = random.uniform(0, random.choice((0.005, 0.05, 0.2)))
        if settings:
            pause = 60
        elif random.random() < 0.9:  # at a line of the journal, or a while after it: reports are written then, trainings run
            while process.poll() is None and self.journal_text().count("\n") < until:
                time.sleep(0.001)
        try:
            process.wait(timeout=pause)
        except subprocess.TimeoutExpired:
            if how.endswith("all"):
                self.signal_all(process, number, random)
            else:
                process.send_signal(number)
        code = process.wait(timeout=60)
        self.assertIn(128 - code if code < 0 else code, (1, 128 + number), how)
        self.assert_kept(before)
        text = self.journal_text()
        STOPS["ended before" if code == 1 else how, self.place_of_stop(text)] += 1
        return text

    def place_of_stop(self, journal):
        if journal and not journal.endswith("\n"):
            return "half a line of the journal"
        if [file for ending in ("part", "new") for file in self.folder.glob(f"bisectd-out/latest/**/*.{ending}")]:
            return "half a file"
        last = journal[:journal.rfind("\n")].rsplit("\n", 1)[-1]
        return "after " + (json.loads(last)["kind"] if last else "nothing: no journal")

    def assert_nothing_repeated(self, devices):
        """No attempt is started twice, and of a set that was judged no trial of the search is started again with its role."""
        lines = [json.loads(line) for line in self.journal_text().splitlines()]
        started = collections.Counter((line["trial"], line["attempt"]) for line in lines if line["kind"] == "attempt-started")
        self.assertEqual([one for one, times in started.items() if times > 1], [])
        folders = collections.Counter(path.name for path in (self.run_folder() / "trials").iterdir())
        self.assertEqual(len(folders), len({trial for trial, _ in started}), "a trial has two folders, or none")
        ended = {(line["trial"], line["attempt"]) for line in lines if line["kind"] == "attempt-ended" and line["ending"] == "finished"}
        judged = {line["trial"] for line in lines if line["kind"] == "judged"}
        # A trial of the search that still runs on another device when the answer comes is stopped: nothing needs it any more
        # (SearchPhase::search). After a stop the search can ask for other trials than those that it takes up, so this happens.
        needless = {trial for trial, _ in started} - judged
        roles = {line["trial"]: line["role"] for line in lines if line["kind"] == "trial"}
        self.assertLess(len(needless), devices, "a finished run has trials that are not judged")
        self.assertLessEqual({roles[trial] for trial in needless}, {"search", "signature", "certificate", "measurement", "proof"})
        self.assertLessEqual({trial for trial, _ in ended}, judged)

    def test_games(self):
        for game in range(self.GAMES):
            with self.subTest(seed=SEED, game=game):
                self.play(random.Random(f"{SEED}/{game}"))
            if self.GAMES > 10 and game % 10 == 9:
                print(f"{game + 1} games, {STOPS.total()} stops", flush=True)


class Kills(Games, Space):
    GAMES = int(os.environ.get("BISECTD_GAMES", 4))


class ThroughSlurm(Games, Slurm):
    """Trainings are jobs, which live on without bisectd."""
    GAMES = int(os.environ.get("BISECTD_SLURM_GAMES", 1))
    HOWS = ("KILL", "KILL", "KILL", "INT", "TERM", "HUP")

    def launched(self, experiment):
        return re.sub(r"devices: {kind: npu, ids: .*}", 'devices: {kind: npu}\n  launch: {slurm: {gres: "npu:{per_trial}", max_jobs: 8, time: 5m}}', experiment)

    def run_to_its_end(self, *command):
        out = self.bisectd(*command, code=1, timeout=600).out
        self.wait_for(lambda: self.queued() == [], 30)
        return out

    def assert_nothing_repeated(self, devices):
        super().assert_nothing_repeated(self.CPUS)
        names = self.submitted()
        self.assertEqual(len(names), len(set(names)), "a job was submitted twice")


STOPS = collections.Counter()


def tearDownModule():
    if max(Kills.GAMES, ThroughSlurm.GAMES) > 10:
        for (how, where), times in sorted(STOPS.items()):
            print(f"{how:12} {where:26} {times}")


if __name__ == "__main__":
    unittest.main()
