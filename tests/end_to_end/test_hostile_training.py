"""Trainings that behave as badly as they can: each one ends with a clear sentence, none keeps the others from being judged, and nothing of
them is left running. What their logs hold is in test_hostile_text.py, full disks are in test_full_disk.py.

BISECTD_LOG_GB=10 makes the long logs as long as that; they are sparse files."""
import os
import sys
import unittest

from space import RECORDER, Space, hostile_experiment

LOG_BYTES = int(float(os.environ.get("BISECTD_LOG_GB", 0.1)) * 2**30)

# A curve that op3 makes 5 % wrong, after what BEHAVE does in step 15 where op1 is not off.
TRAIN = """\
import os, signal, subprocess, sys, time
off = os.environ.get("OFF", "").split(",")
def line(text):
    sys.stdout.flush()
    os.write(1, text)
for step in range(1, 31):
    if step == 15 and "op1" not in off and len(sys.argv) > 1:
        exec(open(sys.argv[1]).read())
    print("step", step, "loss", (2 + 6 * 0.9 ** step) * (1.05 if len(sys.argv) > 1 and "op3" not in off else 1), flush=True)
"""
# Children in sessions of their own, each of which forks and leaves: no process is there for long. Should nobody end them, they end
# after a minute, lest a test that fails takes the machine with it.
FORKS = """\
end = time.monotonic() + 60
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        while time.monotonic() < end:
            if os.fork(): os._exit(0)
            time.sleep(0.01)
        os._exit(0)
"""
LONG = f"""\
sys.stdout.flush()
os.ftruncate(1, os.fstat(1).st_size + {LOG_BYTES})
os.lseek(1, 0, os.SEEK_END)
"""


class HostileTraining(Space):
    def experiment(self, behaviour, subject="", suspects="[op0, op1, op2, op3]", accept="{target: 0.5%}"):
        self.write("train.py", TRAIN)
        self.write("behave.py", behaviour)
        self.write("experiment.yaml", f"""\
            version: 1
            name: hostile
            reference: {{command: [{sys.executable}, train.py], repeats: 2}}
            subject:
              command: [{sys.executable}, train.py, behave.py]
              devices: {{kind: npu, ids: [0], visible_variable: none}}
              exit_grace: 200ms
              {subject}
            metric: {{loss: {{pattern: '^step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            accept: {accept}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
            suspects: {{ops: {suspects}}}
            """)

    def trial(self, behaviour, code, off="op0", **settings):
        self.experiment(behaviour, **settings)
        done = self.bisectd("trial", "experiment.yaml", "--off", off, code=code)
        self.assertEqual(self.processes_of_this_test(), [])
        return done.out + done.err

    def find(self, behaviour, **settings):
        """The search comes to its answer in spite of it."""
        self.experiment(behaviour, **settings)
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"], done.out)
        self.assertEqual(self.processes_of_this_test(), [])
        return done

    def test_one_that_hangs_and_ignores_term(self):
        said = self.trial("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)", code=4, subject="stall: 1s", off="op3")
        self.assertRegex(said, r"\n  stopped: no output for 1 s; its logs: .*/attempt-\d+\n")

    def test_grandchildren_in_sessions_of_their_own(self):
        self.find("subprocess.Popen(['setsid', 'sh', '-c', 'setsid sleep 600 & setsid sleep 600 & wait'])")

    def test_children_that_fork_without_end(self):
        self.find(FORKS)

    def test_a_log_that_is_endless_and_without_a_newline(self):
        self.find(LONG + "print()")

    def test_garbage(self):
        self.find("line(bytes(range(256)) * 4000 + b'\\n')")
        self.bisectd("report", "bisectd-out/latest", "-f", "md", code=0)

    def test_its_last_words_are_safe_to_read(self):
        said = self.trial("line('\\x1b[2J\\x1b]0;title\\x07 \\u202egnp.exe\\n'.encode()); sys.exit('\\x1b[31mout of memory\\u202e')", code=4, off="op3")
        self.assertRegex(said, r"\n  exited 1; its logs: .*/attempt-\d+\n")
        for hostile in ("\x1b", "\u202e", "\x07"):
            self.assertNotIn(hostile, said)

    @unittest.skipUnless(RECORDER, "with a sanitizer nothing can be loaded before it")
    def test_a_clock_that_jumps(self):
        """Days forth and back at each look at it."""
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "1", subject="timeout: 1m"))
        self.bisectd("run", "experiment.yaml", code=1, environment={"LD_PRELOAD": RECORDER, "CLOCK_JUMPS": "1"})
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.assertTrue(all(0 <= line["duration_s"] < 60 for line in self.journal() if line["kind"] == "attempt-ended"))
        self.assertLess(self.report()["elapsed_s"], 60)
        for command in ("status", "resume", "report"):
            self.bisectd(command, "bisectd-out/latest", code=1 if command == "resume" else 0, environment={"LD_PRELOAD": RECORDER, "CLOCK_JUMPS": "1"})


if __name__ == "__main__":
    unittest.main()
