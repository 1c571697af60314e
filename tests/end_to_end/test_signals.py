"""Signals to bisectd, to its trainings, or to all of them at once, as systemd, Slurm and Ctrl-C send them: the exit code says
which signal, nothing is left running, no cut training becomes evidence, and a run can be resumed."""
import os
import signal
import subprocess
import unittest

from space import BISECTD, Space, hostile_experiment


class Signals(Space):
    def prepare(self, *options, **experiment):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "20", *options, **experiment).replace('"--perturbed"', '"--step-ms", "5", "--perturbed"'))

    def trainings(self):
        return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and self.is_training(int(entry))]

    def is_training(self, process):
        try:
            with open(f"/proc/{process}/environ", "rb") as environment, open(f"/proc/{process}/cmdline", "rb") as command:
                return (b"BISECTD_ATTEMPT=" in (text := environment.read()) and str(self.folder).encode() in text and
                        b"hostile_trainer" in command.read())
        except OSError:
            return False

    def interrupt(self, *arguments, number=signal.SIGINT, when=None):
        process = self.start(*arguments)
        self.wait_for(when or self.trainings)
        process.send_signal(number)
        self.assertEqual(process.wait(timeout=30), 128 + number)
        self.assertEqual(self.processes_of_this_test(), [])
        return (self.folder / "stderr.txt").read_text()

    def test_trial_discover_and_record(self):
        self.prepare(discover=True)
        for command in (("trial", "experiment.yaml", "--off", "op1"), ("discover", "experiment.yaml"), ("record", "experiment.yaml")):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(command=command[0], number=number):
                    self.assertIn("interrupted", self.interrupt(*command, number=number))

    def test_check_run(self):
        self.prepare()
        self.assertIn("interrupted", self.interrupt("check", "experiment.yaml", "--run"))

    def test_setup(self):
        """The log of the setup stays, and the experiment is not called wrong."""
        self.prepare(subject="setup: 'echo in the setup >&2; touch begun; sleep 60'")
        said = self.interrupt("run", "experiment.yaml", when=(self.folder / "begun").exists)
        self.assertIn("interrupted", said)
        self.assertNotIn("experiment.yaml:", said)
        logs = list((self.folder / "bisectd-out").glob("*/setup-subject/setup.stderr.log"))
        self.assertEqual([log.read_text() for log in logs], ["in the setup\n"])

    def test_versions_of_a_resumed_run(self):
        self.prepare(extra="versions: {cann: {command: [sh, -c, 'test ! -e slow || {{ touch begun; sleep 60; }}; echo 8.2']}}")
        self.interrupt("run", "experiment.yaml")
        (self.folder / "slow").touch()
        said = self.interrupt("resume", self.run_folder(), when=(self.folder / "begun").exists)
        self.assertNotIn("software", said)
        (self.folder / "slow").unlink()
        self.bisectd("resume", self.run_folder(), code=1)

    def with_a_reader_that_leaves(self, *arguments, **streams):
        """The exit code; a stream that is True is a pipe whose reader is gone after the first byte."""
        reading, writing = os.pipe()
        process = subprocess.Popen([BISECTD, *arguments], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                                   **{name: writing if leaves else subprocess.DEVNULL for name, leaves in streams.items()})
        self.addCleanup(lambda: process.poll() is None and process.kill())
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        return process.wait(timeout=60)

    def test_a_reader_that_leaves_ends_no_night(self):
        self.prepare()
        for stdout, code in ((False, 1), (True, 128 + signal.SIGPIPE)):
            with self.subTest(stdout=stdout):
                self.assertEqual(self.with_a_reader_that_leaves("run", "experiment.yaml", "--new", stdout=stdout, stderr=True), code)
                self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_nobody_complains_of_a_reader_that_leaves(self):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([BISECTD, "families", "paddle-npu"], env=self.environment(), stdout=writing, stderr=subprocess.PIPE, timeout=60)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, b""))

    def everyone(self, process, number):
        """As a signal to a whole control group: in any order."""
        for one in sorted([process.pid, *self.trainings()], reverse=self.trainings_first):
            try:
                os.kill(one, number)
            except ProcessLookupError:
                pass

    def test_all_at_once(self):
        for options in ((), ("--leave-on-term",)):
            for first in (False, True):
                for started in (1, 3, 9):
                    with self.subTest(options=options, trainings_first=first, started=started):
                        self.trainings_first = first
                        self.prepare(*options, devices="[0, 1]", perturbed=False)
                        process = self.start("run", "experiment.yaml", "--new")
                        self.wait_for(lambda: self.run_folder().exists() and self.trainings() and
                                      sum(r["kind"] == "attempt-started" for r in self.journal()) >= started)
                        self.everyone(process, signal.SIGTERM)
                        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGTERM)
                        self.assertEqual(self.processes_of_this_test(), [])
                        needed = {r["trial"]: 12 if r["role"] == "signature" else 100 for r in self.journal() if r["kind"] == "trial"}
                        for ended in (r for r in self.journal() if r["kind"] == "attempt-ended"):
                            enough = ended["ending"] == "ended-early" or ended.get("last_step", 0) >= needed[ended["trial"]]
                            self.assertTrue(enough or "as much as is needed was seen" in ended["text"], ended)
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])


if __name__ == "__main__":
    unittest.main()
