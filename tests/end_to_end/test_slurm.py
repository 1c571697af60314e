"""Attempts as jobs of a real Slurm: a private one for each class, as examples/slurm/start makes it. Skipped where Slurm is not
installed."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from space import BISECTD, SOURCE, Space, hostile_experiment
from test_align import STEP

SLURM = SOURCE / "examples/slurm"


class Slurm(Space):
    CPUS = 8

    @classmethod
    def setUpClass(cls):
        cls.cluster = pathlib.Path(tempfile.mkdtemp(prefix="bisectd-slurm-")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.cluster, ignore_errors=True)
        cls.addClassCleanup(subprocess.run, [SLURM / "stop", cls.cluster])
        started = subprocess.run([SLURM / "start", cls.cluster, str(cls.CPUS)], capture_output=True, text=True)
        if started.returncode == 77:
            raise unittest.SkipTest("Slurm is not installed: " + started.stderr.strip())
        if started.returncode:
            raise AssertionError(started.stderr)

    def environment(self, extra=None):
        return super().environment({"SLURM_CONF": str(self.cluster / "slurm.conf"), **(extra or {})})

    def slurm(self, *command):
        return subprocess.run(command, env=self.environment(), capture_output=True, text=True, timeout=60).stdout

    def node(self, state):
        self.slurm("scontrol", "update", "node=" + os.uname().nodename.split(".")[0], "state=" + state, "reason=test")

    def queued(self):
        """The jobs that wait or run."""
        return self.slurm("squeue", "--noheader", "--format=%i %T %j").split("\n")[:-1]

    def submitted(self):
        """Names of all jobs that ever ended, from Slurm's own list."""
        log = self.cluster / "log/jobcomp.log"
        return re.findall(r" Name=(bisectd-\S+) ", log.read_text()) if log.exists() else []

    def experiment(self, *options, launch="", step_ms=0, reference_on_slurm=False, search="search: {signature_steps: 0}", **others):
        text = hostile_experiment("--cause", "op3=3", *(["--step-ms", str(step_ms)] if step_ms else []), *options, repeats=3,
                                  search=search, **others)
        jobs = 'launch: {slurm: {gres: "npu:{per_trial}", max_jobs: 8, time: 5m%s}}' % launch
        text = text.replace("devices: {kind: npu, ids: [0]}", "devices: {kind: npu}\n  " + jobs)
        if reference_on_slurm:
            text = text.replace("reference:\n", "reference:\n  launch: {slurm: {max_jobs: 3, time: 5m}}\n")
        return self.write("experiment.yaml", text)

    def align_experiment(self, reference="", waits_for=""):
        """The subject's step differs by 50 %; it is written once the file `waits_for` is there."""
        wait = f"import os, time\nwhile {waits_for!r} and not os.path.exists({waits_for!r}): time.sleep(0.1)\n"
        self.write("reference.py", STEP)
        (self.folder / "subject.py").write_text(wait + STEP)
        return self.write("experiment.yaml", f"""\
            version: 1
            name: step
            align: {{environment: STEP_FILE}}
            perturb: none
            reference: {{{reference}command: [python3, reference.py, "1"]}}
            subject:
              command: [python3, subject.py, "1.5"]
              devices: {{kind: npu, visible_variable: none}}
              launch: {{slurm: {{gres: "npu:{{per_trial}}", time: 5m}}}}
            metric: {{loss: {{format: paddleocr}}}}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
            suspects: {{ops: {{members: [relu, gelu]}}}}
            """)

    def endings(self):
        return [one["ending"] for one in self.journal() if one["kind"] == "attempt-ended"]

    def assert_found(self, code=1):
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.wait_for(lambda: self.queued() == [], 20)  # a job that was cancelled is COMPLETING for a moment
        names = self.submitted()
        self.assertEqual(len(names), len(set(names)), "a job was submitted twice")


class Searching(Slurm):
    def test_culprits_are_found_through_jobs(self):
        self.experiment()
        done = self.bisectd("check", "experiment.yaml", code=0)
        self.assertIn("8 at a time, as jobs of Slurm, which accepts such a job", done.out)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assert_found()
        log = (self.run_folder() / "bisectd.log").read_text()
        self.assertRegex(log, r"D 0002-1: to be a job of Slurm as bisectd-\S+: ")
        self.assertRegex(log, r"D 0002-1: sbatch --parsable --job-name=bisectd-")
        self.assertRegex(log, r"D 0002-1: Slurm took it as job \d+")
        self.assertRegex(log, r"D 0002-1: job \d+ exited 0 after [0-9.]+ s on ")
        self.assertRegex(log, r"D Slurm was asked for \d+ jobs, tells of \d+; .*job \d+ (PENDING|RUNNING|COMPLETED)")
        devices = {attempt["device"] for trial in self.report()["trial_list"] if trial["role"] != "reference" for attempt in trial["attempts"]}
        for device in devices:
            self.assertRegex(device, r"^npu [0-7] on \S+$")
        self.assertEqual({one["ending"] for one in self.journal() if one["kind"] == "attempt-ended"} - {"finished", "whole", "ended-early"}, set())
        self.bisectd("resume", "bisectd-out/latest", code=1)

    def test_the_example(self):
        done = subprocess.run([SLURM / "run", "--quiet"], cwd=self.folder, env=self.environment({"BISECTD": BISECTD}), capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.culprits(self.report()), ["ops:layer_norm_grad", "ops:softmax"])

    def test_a_second_slurm_on_the_same_port_takes_another(self):
        """Else its programs would talk to the first."""
        port = re.search(r"SlurmctldPort=(\d+)", (self.cluster / "slurm.conf").read_text())[1]
        job = self.slurm("sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 60").strip()
        second = self.folder / "second"
        self.addCleanup(subprocess.run, [SLURM / "stop", second])
        subprocess.run([SLURM / "start", second, "3", port], check=True, capture_output=True, timeout=60)
        self.assertNotIn(f"={port}\n", (second / "slurm.conf").read_text())
        environment = self.environment({"SLURM_CONF": str(second / "slurm.conf")})
        cpus = subprocess.run(["sinfo", "--noheader", "--partition=debug", "--format=%c"], env=environment, capture_output=True, text=True, timeout=60).stdout
        self.assertEqual(cpus.strip(), "3")
        self.assertRegex(self.slurm("squeue", "--noheader", "--jobs", job, "--format=%T"), "RUNNING|PENDING")
        self.slurm("scancel", job)

    def test_both_sides_and_a_hand_run(self):
        self.experiment(reference_on_slurm=True)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assert_found()
        self.bisectd("trial", "experiment.yaml", "--off", "op3", code=0)
        self.wait_for(lambda: self.queued() == [], 20)  # the last is COMPLETING for a moment

    def test_one_step_of_both_sides(self):
        for reference, jobs in (("", {"0002-1"}), ("launch: {slurm: {time: 5m}}, ", {"0001-1", "0002-1"})):
            with self.subTest(reference=reference):
                self.align_experiment(reference)
                before = set(self.submitted())
                done = self.bisectd("align", "experiment.yaml", code=1)
                self.assertIn("forward: the first module that deviates is relu (Relu): its output is 50 % off", done.out)
                self.wait_for(lambda: self.queued() == [], 20)
                self.assertEqual({name.rsplit(".", 1)[1] for name in set(self.submitted()) - before}, jobs)

    def test_arguments_and_environment_arrive_as_they_are(self):
        odd = ["a b", "$(touch hacked)", "`x`", "it's", '"', "\\", "*", "a\nb", "a\r\nb", "", "#SBATCH --array=0-9", "ü\U0001F600", "--x=$HOME;"]
        trainer = self.write("show.py", """\
            import json, os, sys
            json.dump([sys.argv[1:], dict(os.environ)], open(os.environ["BISECTD_ATTEMPT_FOLDER"] + "/seen.json", "w"))
            for step in range(1, 31):
                print(f"global_step: {step}, loss: {1 / step}", flush=True)
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: odd
            reference: {{command: [python3, show.py], repeats: 2}}
            subject:
              command: {json.dumps(["python3", str(trainer), "{devices}", "{device}", "{attempt}"] + odd, ensure_ascii=False)}
              devices: {{kind: npu, per_trial: 2, visible_variable: none}}
              launch: {{slurm: {{gres: "npu:{{per_trial}}"}}}}
              environment: {{ODD: {json.dumps(odd[8])}, API_TOKEN: "s3cret'", SLURM_FAKE: "1"}}
            metric: {{loss: {{pattern: 'global_step: (?P<step>\\d+), loss: (?P<value>\\S+)'}}}}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}}}}}
            suspects: {{ops: [a, b]}}
            """)
        self.assertIn("show.py 0,1 0 ", self.bisectd("plan", "experiment.yaml", code=0).out)  # by hand: the first devices
        done = self.bisectd("run", "experiment.yaml", code=None, environment={"SLURM_JOB_ID": "77", "SBATCH_X": "1", "LC_ODD": "ä\n", "PYTHONPATH": ""})
        seen = sorted(self.run_folder().glob("trials/0002/attempt-1/seen.json"))
        self.assertTrue(seen, done.out + done.err)
        arguments, environment = json.loads(seen[0].read_text())
        self.assertRegex(arguments[0], r"^[0-7],[0-7]$")
        self.assertEqual(arguments[1], arguments[0].split(",")[0])
        self.assertEqual(arguments[2], str(seen[0].parent))
        self.assertEqual(arguments[3:], odd)
        self.assertEqual(environment["ODD"], odd[8])
        self.assertEqual(environment["LC_ODD"], "ä\n")
        self.assertEqual(environment["API_TOKEN"], "s3cret'")
        self.assertNotEqual(environment["SLURM_JOB_ID"], "77")
        self.assertNotIn("SLURM_FAKE", environment)
        self.assertFalse(list(self.folder.rglob("hacked")))
        for file in self.run_folder().rglob("*"):
            if file.is_file() and file.name != "seen.json":
                self.assertNotIn(b"s3cret", file.read_bytes(), file)

    def test_time_counts_from_the_start_of_a_job(self):
        blocker = self.slurm("sbatch", "--parsable", f"--cpus-per-task={self.CPUS}", "--output=/dev/null", "--wrap=sleep 8").strip()
        self.wait_for(lambda: "RUNNING" in self.slurm("squeue", "-h", "-j", blocker, "-o", "%T"))
        self.experiment(subject="timeout: 3s")
        self.bisectd("run", "experiment.yaml", code=1)
        self.assert_found()
        waited = [one["waited_s"] for one in self.journal() if one["kind"] == "attempt-ended" and one.get("waited_s", 0) > 4]
        self.assertTrue(waited)
        self.assertTrue(all(one["duration_s"] < 4 for one in self.journal() if one["kind"] == "attempt-ended"))

    def test_what_slurm_would_not_take(self):
        self.experiment(launch=", partition: nothere")
        done = self.bisectd("run", "experiment.yaml", code=2)
        self.assertRegex(done.err, r"experiment.yaml:\d+:\d+: Slurm would not take a job like this: .*partition")
        self.experiment(launch=', arguments: ["--gres=gpu:1"]')
        self.assertIn("would not take", self.bisectd("check", "experiment.yaml", code=2).err)
        self.experiment()
        done = self.bisectd("run", "experiment.yaml", code=2, environment={"PATH": "/nothing"})
        self.assertIn("sbatch", done.err)


class Losing(Slurm):
    def running(self, *options, environment=None, **others):
        """A run whose jobs of the search take some seconds."""
        self.experiment(*options, step_ms=40, **others)
        process = self.start("run", "experiment.yaml", environment=environment)

        def searching():
            """Whether a job of the search runs: one of an end may still be there when the first of the search is submitted."""
            if not (self.folder / "bisectd-out/latest/journal.jsonl").exists():
                return False
            trials = {one["trial"] for one in self.journal() if one["kind"] == "trial" and one["role"] == "search"}
            return any(state == "RUNNING" and int(name.rsplit(".", 1)[1].split("-")[0]) in trials
                       for _, state, name in (job.split() for job in self.queued()) if name.startswith("bisectd-"))
        self.wait_for(searching, 90)
        return process

    def test_a_node_fails(self):
        process = self.running()
        self.node("down")
        time.sleep(1)
        self.node("resume")
        self.assertEqual(process.wait(240), 1)
        self.assert_found()
        self.assertIn("lost", self.endings())
        lost = [one["text"] for one in self.journal() if one["kind"] == "attempt-ended" and one["ending"] == "lost"]
        self.assertRegex(lost[0], "lost: Slurm: (NODE_FAIL|it vanished)")

    def test_a_node_fails_in_the_step_that_is_compared(self):
        self.align_experiment(waits_for=str(self.folder / "go on"))
        process = self.start("align", "experiment.yaml")
        self.wait_for(lambda: any(" RUNNING " in job for job in self.queued()))
        self.node("down")
        self.wait_for(lambda: "subject: lost: Slurm: " in (self.folder / "stderr.txt").read_text(), 60)
        self.write("go on", "")
        self.node("resume")
        self.assertEqual(process.wait(120), 1)
        (result,) = self.folder.glob("bisectd-out/*/align.json")
        self.assertEqual(json.loads(result.read_text())["forward"]["module"], "relu")
        self.assertTrue((result.parent / "subject-again-1/align.jsonl").exists())

    def test_a_node_that_fails_while_bisectd_is_away_is_no_timeout(self):
        """`resume` comes when the trainings would have had their time many times over."""
        def training():
            return [file for file in self.folder.glob("bisectd-out/latest/trials/*/attempt-*/job.started") if not (file.parent / "job.ended").exists()]
        process = self.running(subject="timeout: 10m")
        self.wait_for(training)
        process.kill()
        process.wait()
        failed = training()
        self.node("down")
        time.sleep(1)
        self.node("resume")
        for file in failed:
            (file.parent / "job.ended").unlink(missing_ok=True)  # a node without power writes nothing
            os.utime(file, (time.time() - 3600,) * 2)
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240)
        self.assert_found()
        self.assertIn("lost", self.endings())
        self.assertNotIn("timed-out", self.endings())

    def test_a_soak_that_is_lost_again_and_again_takes_no_answer_with_it(self):
        self.experiment("--steps", "{steps}", step_ms=40, subject="timeout: 20s", extra="steps: 100\n        soak: 1000")
        process = self.start("run", "experiment.yaml")
        soak = None
        while process.poll() is None:
            if soak is None and (self.folder / "bisectd-out/latest/journal.jsonl").exists():
                soak = next((one["trial"] for one in self.journal() if one["kind"] == "trial" and one["role"] == "soak"), None)
            if soak is not None:
                for job, state, name in (line.split() for line in self.queued()):
                    if state == "RUNNING" and int(name.rsplit(".", 1)[1].split("-")[0]) == soak:
                        self.slurm("scancel", job)
            time.sleep(0.2)
        self.assertEqual(process.returncode, 1)
        self.assert_found()
        self.assertRegex(" ".join(self.report()["warnings"]),
                         rf"the fix was not run to step 1000 \(soak\): attempts of trial {soak} were lost 11 times: ")

    def test_an_error_of_its_own_cancels_all_jobs(self):
        """Memory is overwritten as soon as it is free, so that nothing can be used after that."""
        process = self.running(environment={"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"})
        self.wait_for(lambda: sum(" RUNNING " in job for job in self.queued()) >= 2)
        jobs = [job.split()[::2] for job in self.queued() if " RUNNING " in job]  # all: the search might do without one of them
        for _, name in jobs:
            trial, attempt = name.rsplit(".", 1)[1].split("-")
            (folder,) = self.run_folder().glob(f"trials/{trial}")
            (folder / f"attempt-{int(attempt) + 1}").write_text("where its folder would be")
        self.slurm("scancel", *(job for job, _ in jobs))
        self.assertEqual(process.wait(60), 4)
        self.assertRegex((self.folder / "stderr.txt").read_text(), "(?m)^bisectd: .*attempt-")
        self.wait_for(lambda: self.queued() == [], 20)

    def test_preemption_and_a_person_who_cancels(self):
        process = self.running()
        self.slurm("sbatch", "--partition=urgent", f"--cpus-per-task={self.CPUS}", "--output=/dev/null", "--wrap=sleep 3")
        self.wait_for(lambda: "lost" in self.endings(), 60)

        def lost():
            return " ".join(one["text"] for one in self.journal() if one["kind"] == "attempt-ended" and one["ending"] == "lost")

        while process.poll() is None and "CANCELLED" not in lost():  # a job may come to its end just before it is cancelled
            if job := next((job for job in self.queued() if " RUNNING bisectd-" in job), None):
                self.slurm("scancel", job.split()[0])
                self.wait_for(lambda: job not in self.queued(), 60)
            time.sleep(1)
        self.assertEqual(process.wait(240), 1)
        self.assert_found()
        self.assertRegex(lost(), "PREEMPTED")
        self.assertRegex(lost(), "CANCELLED")

    def test_a_training_that_leaves_well_when_it_is_preempted(self):
        """It traps TERM and says that all is well: its cut curve is no evidence."""
        process = self.running("--leave-on-term")
        self.slurm("sbatch", "--partition=urgent", f"--cpus-per-task={self.CPUS}", "--output=/dev/null", "--wrap=sleep 1")
        self.assertEqual(process.wait(240), 1)
        self.assert_found()
        self.assertIn("lost", self.endings())
        cut = [one for one in self.journal() if one["kind"] == "attempt-ended" and one["ending"] == "finished" and one["last_step"] < 100]
        self.assertEqual(cut, [])

    def test_an_interrupted_run_cancels_all_jobs_and_goes_on(self):
        process = self.running()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.wait_for(lambda: self.queued() == [], 20)
        self.assertEqual(list((self.run_folder() / "scheduler").glob("cancel.txt")) != [], True)
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240)
        self.assert_found()
        self.assertNotIn("lost", self.endings())

    def test_jobs_that_cannot_be_cancelled_are_named_and_adopted_later(self):
        process = self.running()
        # All eight may run already, and would end by themselves while bisectd tries to cancel them; the oldest may have ended.
        job = max((job.split()[0] for job in self.queued() if job.split()[1] == "RUNNING"), key=int)
        self.slurm("scontrol", "suspend", job)
        controller = int((self.cluster / "slurmctld.pid").read_text())
        os.kill(controller, signal.SIGSTOP)
        try:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
        finally:
            os.kill(controller, signal.SIGCONT)
        self.assertRegex((self.folder / "stderr.txt").read_text(), r"[0-9]+ jobs could not be cancelled; this does it: scancel [0-9]+")
        self.slurm("scontrol", "resume", job)
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240)
        self.assert_found()

    def test_a_killed_run_adopts_its_jobs(self):
        process = self.running()
        process.kill()
        process.wait()
        living = {job.split()[2] for job in self.queued()}
        self.assertTrue(living)
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240)
        self.assert_found()
        self.assertTrue(living <= set(self.submitted()))
        self.assertNotIn("lost", self.endings())

    def test_a_killed_run_reads_jobs_that_ended_meanwhile(self):
        process = self.running()
        process.kill()
        process.wait()
        self.wait_for(lambda: self.queued() == [], 60)
        ended = set(self.submitted())
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240)
        self.assert_found()
        self.assertTrue(ended <= set(self.submitted()))
        self.assertNotIn("lost", self.endings())

    def test_a_killed_run_whose_jobs_vanished_submits_new_ones(self):
        """Slurm does not know of them any more."""
        process = self.running()
        process.kill()
        process.wait()
        self.slurm("scancel", "--user=" + str(os.getuid()))
        self.wait_for(lambda: self.queued() == [], 60)
        forgetful = self.write("bin/squeue", "#!/bin/sh\n/usr/bin/squeue \"$@\" | grep -v CANCELLED\nexit 0\n")
        forgetful.chmod(0o755)
        self.bisectd("resume", "bisectd-out/latest", code=1, timeout=240, environment={"PATH": f"{forgetful.parent}:{os.environ['PATH']}"})
        self.assert_found()
        lost = [one["text"] for one in self.journal() if one["kind"] == "attempt-ended" and one["ending"] == "lost"]
        self.assertTrue(lost)
        self.assertEqual(set(lost), {"lost: Slurm: it vanished"})

    def test_a_controller_that_does_not_answer(self):
        process = self.running()
        controller = int((self.cluster / "slurmctld.pid").read_text())
        os.kill(controller, signal.SIGSTOP)
        try:
            self.wait_for(lambda: "Slurm does not say how its jobs are" in (self.folder / "stderr.txt").read_text() or
                          "Slurm took no job" in (self.folder / "stderr.txt").read_text(), 60)
        finally:
            os.kill(controller, signal.SIGCONT)
        self.assertEqual(process.wait(300), 1)
        self.assert_found()


if __name__ == "__main__":
    unittest.main()
