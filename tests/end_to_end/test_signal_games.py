"""INT, TERM and HUP to every command at random moments, to the process, its process group, or all that it started: the exit code says which
signal, nothing is left running, files are whole, and what can be resumed comes to its answer.

Some games in the tests; a campaign:  BISECTD_GAMES=500 BISECTD_SEED=7 python3 -B tests/end_to_end/test_signal_games.py
(BISECTD and HOSTILE_TRAINER name the programs). It says at its end what was hit."""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from space import BISECTD, Space, hostile_experiment
from test_align import STEP

SEED = int(os.environ.get("BISECTD_SEED", 1))
GAMES = int(os.environ.get("BISECTD_GAMES", 12))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SEEN = collections.Counter()
# With their exit codes when nothing disturbs them; what they make is in the folder "out".
LONG = {"run": (1, "run experiment.yaml --out out --new"), "prune": (1, "prune prune.yaml --out out"), "ci": (1, "ci suite.yaml --out out"),
        "trial": (0, "trial experiment.yaml --off op3 --out out"), "discover": (0, "discover discover.yaml --out out"),
        "record": (0, "record experiment.yaml -o reference.json --yes --out out"), "check --run": (0, "check experiment.yaml --run"),
        "align": (1, "align step.yaml --out out"), "resume": (1, "resume out/latest"),
        "simulate": (0, "simulate experiment.yaml --games 300")}
SHORT = {"init": (0, "init paddle-npu -o out/new.yaml"), "check": (0, "check experiment.yaml"), "families": (0, "families torch-npu"),
         "plan": (0, "plan experiment.yaml"), "status": (0, "status whole/latest"), "report": (0, "report whole/latest -f html -o out/page.html"),
         "explain": (0, "explain whole/latest op3"), "compare": (0, "compare a.csv b.csv c.csv -- d.csv"),
         "accept": (0, "accept whole/latest --of reference --model x -o out/x.json"), "history": (0, "history whole"),
         "schema": (0, "schema"), "completion": (0, "completion bash"), "manual": (0, "manual"), "version": (0, "version"), "help": (0, "--help")}
COMMANDS = LONG | SHORT


class SignalGames(Space):
    def setUp(self):
        super().setUp()
        faulty = ("--cause", "op3=3", "--step-ms", "1")
        self.write("experiment.yaml", hostile_experiment(*faulty))
        self.write("discover.yaml", hostile_experiment(*faulty, discover=True))
        self.write("prune.yaml", hostile_experiment(*faulty, subject="environment: {HOSTILE_OFF: 'op3,op5'}"))
        self.write("step.py", STEP)
        self.write("step.yaml", """\
            version: 1
            name: step
            align: {environment: STEP_FILE}
            perturb: none
            reference: {command: [python3, step.py, "1"]}
            subject: {command: [python3, step.py, "1.5"]}
            metric: {loss: {format: paddleocr}}
            families: {ops: {kind: list, deliver: {environment: OFF, separator: ","}}}
            suspects: {ops: {members: [relu, gelu]}}
            """)
        for name in "abcd":
            self.write(f"{name}.csv", "step,loss\n" + "".join(f"{step},{2 + 6 / step:.4f}\n" for step in range(1, 101)))
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [rec.yaml, det.yaml]\n")
        for model, options in (("rec", faulty), ("det", ("--step-ms", "1"))):
            self.write(f"{model}.yaml", hostile_experiment(*options).replace("name: hostile", f"name: {model}"))
        self.bisectd("run", "experiment.yaml", "--out", "whole", code=1)
        self.took = {}

    def prepare(self, command):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        if command == "resume":  # of a run that was cut short
            process = self.start(*COMMANDS["run"][1].split())
            self.wait_for(lambda: (self.folder / "out/latest/journal.jsonl").exists() and len(self.journal("out")) > 20)
            process.kill()
            process.wait()

    def launch(self, command):
        with open(self.folder / "stderr.txt", "wb") as stderr:
            return subprocess.Popen([BISECTD, *COMMANDS[command][1].split()], cwd=self.folder, env=self.environment(), start_new_session=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)

    def send(self, process, number, whom, random):
        if whom == "group":
            os.killpg(process.pid, number)
        elif whom == "all":
            self.signal_all(process, number, random)
        else:
            process.send_signal(number)

    def play(self, command, random):
        usual = COMMANDS[command][0]
        if command not in self.took:
            self.prepare(command)
            began = time.monotonic()
            self.assertEqual(self.launch(command).wait(timeout=120), usual, (self.folder / "stderr.txt").read_text())
            self.took[command] = time.monotonic() - began
        self.prepare(command)
        left = set(self.pids_of_this_test())  # by the run that was killed; a `resume` that is stopped at once has not ended it yet
        number, whom = random.choice(SIGNALS), random.choice(("process", "group", "all"))
        process = self.launch(command)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        try:
            process.wait(timeout=random.uniform(0, self.took[command]))
        except subprocess.TimeoutExpired:
            self.send(process, number, whom, random)
        code = process.wait(timeout=60)
        said = (self.folder / "stderr.txt").read_text(errors="replace")
        # A short command has no handler; a long one has none before it begins.
        self.assertIn(128 - code if code < 0 else code, (usual, 128 + number), said)
        self.assertNotIn("bug", said)
        self.assertLessEqual(set(self.pids_of_this_test()), left, self.processes_of_this_test())
        SEEN[command, "ended before" if code == usual else f"{number.name} {whom}"] += 1
        self.assert_whole(command, usual)
        self.assertEqual(self.processes_of_this_test(), [])

    def assert_whole(self, command, usual):
        for file in (*self.folder.glob("out/*.json"), self.folder / "reference.json"):
            if file.exists():
                json.loads(file.read_text())
        for file in self.folder.glob("out/*.html"):
            self.assertTrue(file.read_text().endswith("</html>\n"))
        if command in ("run", "prune", "resume") and (self.folder / "out/latest").exists():
            self.bisectd("resume", "out/latest", code=usual)
        elif command in ("run", "ci", "record"):  # anew
            self.bisectd(*COMMANDS[command][1].split(), code=usual)
        if command in ("run", "resume"):
            self.assertEqual(self.culprits(self.report("out")), ["ops:op3"])

    def test_games(self):
        order = []
        for game in range(GAMES):
            drawn = random.Random(f"{SEED}/{game}")
            order = order or drawn.sample(list(LONG) * 3 + list(SHORT), 3 * len(LONG) + len(SHORT))
            command = order.pop()
            with self.subTest(seed=SEED, game=game, command=command):
                self.play(command, drawn)


def tearDownModule():
    if GAMES > 20:
        for (command, what), times in sorted(SEEN.items()):
            print(f"{command:12} {what:16} {times}")


if __name__ == "__main__":
    unittest.main()
