"""bisectd.log of a run directory, and how much of it stderr shows: -q, -v, --log-level."""
import re
import stat
import unittest

from space import Space, hostile_experiment
from test_running import TRAIN

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [DIWE] ")
SPANS = {"debug": ["debug: ", "run directory: ", "warning: "], "info": ["run directory: ", "warning: "], "warning": ["warning: "], "error": []}


class Log(Space):
    def log(self, folder=None):
        file = (folder or self.run_folder()) / "bisectd.log"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        text = file.read_text()
        self.assertEqual([line for line in text.splitlines() if not LINE.match(line)], [])
        return text

    def crashing(self):
        self.write("train.py", TRAIN)
        self.write("experiment.yaml", """\
            version: 1
            name: crashing
            subject:
              command: [python3, train.py, --token, hunter2]
              environment: {KILLS: op3}
              devices: {kind: npu, ids: [4, 5], visible_variable: none}
            steps: 30
            metric: {loss: {pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}
            accept: {goal: runs}
            families: {ops: {kind: list, deliver: {environment: OFF, separator: ","}}}
            suspects: {ops: [op0, op1, op2, op3]}
            """)

    def test_crashes_and_retries(self):
        self.crashing()
        self.bisectd("run", "experiment.yaml", "--out", "a b", code=1)
        log = self.log(self.run_folder("a b"))
        self.assertRegex(log.splitlines()[0], r"bisectd [0-9.]+ .*, process \d+ on .*: .*bisectd run experiment\.yaml --out 'a b'$")
        self.assertRegex(log, r"D trial 1 \(as-is\): 0 suspects neutralised, 1 attempts: ")
        self.assertRegex(log, r"D 0001-1: starts on npu 4, 1 of 2 slots left, in /")
        self.assertRegex(log, r"D 0001-1: process \d+ in /.*: python3 train\.py --token .*secret")
        self.assertRegex(log, r"D 0001-1: killed by SIGABRT after [0-9.]+ s")
        self.assertRegex(log, r"D 0001-1: crashed \(killed by SIGABRT\) after [0-9.]+ s, last step 8")
        self.assertRegex(log, r"D 0001-2: queued: retry 1 of \d+, attempt 1 crashed: killed by SIGABRT")
        self.assertRegex(log, r"D trial 1: fail \(")
        self.assertIn("I run directory: ", log)
        self.assertRegex(log.splitlines()[-2], r"D culprits found after \d+ trials")
        self.assertTrue(log.endswith("D exits with 1\n"))
        self.assertNotIn("hunter2", log)

    def test_it_is_appended_to_by_a_resume_that_says_what_it_found(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "5"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.folder / "bisectd-out/latest/bisectd.log").exists() and
                      re.search(r"000[3-9]-1: process (\d+)", (self.run_folder() / "bisectd.log").read_text()))
        process.kill()
        process.wait()
        before = self.log()
        self.bisectd("resume", "bisectd-out/latest", code=1)
        log = self.log()
        self.assertTrue(log.startswith(before))
        after = log[len(before):]
        self.assertIn("bisectd resume bisectd-out/latest", after.splitlines()[0])
        self.assertRegex(after, r"goes on with a run begun 2\S+Z, [0-9.]+ s long: \d+ trials, \d+ judged, 1 attempts not ended")
        self.assertRegex(after, r"D 000\d-1: read again: (interrupted|whole), it ran when bisectd ended")
        self.assertTrue(after.endswith("D exits with 1\n"))

    def test_a_signal(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "20"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.folder / "bisectd-out/latest/bisectd.log").exists() and
                      "0002-1: process " in (self.run_folder() / "bisectd.log").read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 143)
        log = self.log()
        self.assertIn("D signal 15 (SIGTERM)\n", log)
        self.assertRegex(log, r"D 0002-1: SIGTERM to process \d+ and those below it")
        self.assertRegex(log, r"E bisectd: interrupted by SIGTERM; go on with: bisectd resume /")

    def test_levels_of_stderr(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        (self.folder / "bisectd-out").mkdir()
        (self.folder / "bisectd-out/history.jsonl").write_text("no history\n")  # which is warned of
        for options, level in (((), "info"), (("-v",), "debug"), (("--verbose",), "debug"), (("-q",), "error"),
                               *((("--log-level", level), level) for level in SPANS)):
            with self.subTest(options):
                said = self.bisectd("run", "experiment.yaml", "--new", *options, code=1).err
                self.assertEqual([begin for begin in SPANS["debug"] if re.search("^" + begin, said, re.M)], SPANS[level])
                self.assertRegex(self.log(), r" D 0001-1: process \d+ ")
        self.assertEqual(said, "")
        self.assertIn("bisectd: ", self.bisectd("resume", "nowhere", "-q", code=2).err)

    def test_wrong_words(self):
        for words, complaint in ((("--log-level", "debgu"), "--log-level: debgu not in {debug,info,warning,error}; did you mean 'debug'?"),
                                 (("--log-level", "warn"), "--log-level: warn not in {debug,info,warning,error}; did you mean 'warning'?"),
                                 (("--log-level", "loud"), "--log-level: loud not in {debug,info,warning,error}"),
                                 (("-q", "-v"), "--quiet excludes --verbose")):
            self.assertEqual(self.bisectd("run", "experiment.yaml", *words, code=2).err, f"bisectd: {complaint}\n")
        self.assertFalse((self.folder / "bisectd-out").exists())

    def test_one_that_cannot_be_written_costs_nothing_else(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("run", "experiment.yaml", code=1)
        folder = self.run_folder()
        (folder / "bisectd.log").unlink()
        (folder / "bisectd.log").mkdir()
        done = self.bisectd("resume", folder, code=1)
        self.assertIn(f"warning: {folder}/bisectd.log is not written: Is a directory\n", done.err)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_a_suite_and_its_models_have_one_each(self):
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("ci", "suite.yaml", code=1)
        (suite,) = (self.folder / "bisectd-out").glob("nightly-*")
        log = self.log(suite)
        self.assertRegex(log, r"D hostile: process \d+ in .* run experiment\.yaml --out ")
        self.assertRegex(log, r"D hostile: exited 1 after ")
        self.assertNotIn("0001-1: process", log)
        self.assertRegex(self.log((suite / "models/hostile/latest").resolve()), r"D 0001-1: process \d+")

    def test_what_a_person_runs_by_hand(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("trial", "experiment.yaml", "--off", "op3", code=0)
        (folder,) = (self.folder / "bisectd-out").glob("hostile-trial-*")
        self.assertRegex(self.log(folder), r"D trial \d+ \(by-hand\): 1 suspects neutralised")
        self.bisectd("check", "experiment.yaml", "--run", code=0)
        (folder,) = (self.folder / "bisectd-out").glob("hostile-check-*")
        self.assertRegex(self.log(folder), r"D 0001-1: process \d+ in ")


if __name__ == "__main__":
    unittest.main()
