"""The main job with the stand-in training: what is planted is what is found, whatever the run does on the way."""
import json
import re
import subprocess
import unittest

from space import Space, hostile_experiment


class Search(Space):
    def find(self, *trainer, code=1, options=(), **experiment):
        self.write("experiment.yaml", hostile_experiment(*trainer, **experiment))
        done = self.bisectd("run", "experiment.yaml", *options, code=code)
        return self.report(), done

    def test_one_culprit(self):
        report, done = self.find("--cause", "op3=3")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertEqual(self.causes(report), [["op3"]])
        self.assertEqual(report["outcome"], "culprits")
        self.assertEqual(report["confidence"], 1.0)
        self.assertIn("op3", done.out)
        self.assertNotIn("trial 3", done.out)  # progress goes to stderr

    def test_two_independent_culprits(self):
        report, _ = self.find("--cause", "op1=3", "--cause", "op6=-4")
        self.assertEqual(self.culprits(report), ["ops:op1", "ops:op6"])
        self.assertEqual(self.causes(report), [["op1"], ["op6"]])

    def test_an_interaction_is_named_as_one(self):
        report, done = self.find("--cause", "op2+op5=3")
        self.assertEqual(self.causes(report), [["op2", "op5"]])
        self.assertEqual(len(report["culprit_set"]), 1)
        self.assertRegex(done.out, "only together")

    def test_a_flag_is_the_cheaper_fix_of_an_interaction(self):
        text = hostile_experiment("--cause", "op2+FORMAT:1=3", "--cause", "op5=2").replace("suspects:\n  ops:", """\
  flags:
    kind: toggle
    toggles: {format: {environment: FORMAT, suspect: "1", safe: "0"}}
suspects:
  flags: all
  ops:""", 1)
        self.write("experiment.yaml", text)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.causes(self.report()), [["format", "op2"], ["op5"]])
        self.assertEqual(self.culprits(self.report()), ["flags:format", "ops:op5"])

    def test_the_price_says_which_fix_of_an_interaction_is_chosen(self):
        for cheap in ("op2", "op5"):
            text = hostile_experiment("--cause", "op2+op5=3", suspects=6)
            text = text.replace("  ops: [", "  ops:\n    price: {%s: 2}\n    members: [" % cheap)
            self.write("experiment.yaml", text)
            self.bisectd("run", "experiment.yaml", "--new", code=1)
            self.assertEqual(self.culprits(self.report()), [f"ops:{cheap}"])

    def test_signatures_name_three_causes_in_short_trials(self):
        report, _ = self.find("--cause", "op2=3", "--cause", "op5=1", "--cause", "op11=-2", suspects=60)
        self.assertEqual(self.causes(report), [["op11"], ["op2"], ["op5"]])
        short = [trial for trial in report["trial_list"] if trial["role"] == "signature"]
        self.assertGreater(len(short), 5)
        self.assertLess(sum(trial["role"] != "control" for trial in report["trial_list"]), 18)
        self.assertTrue(all(claim["proved"] for claim in report["certificate"]))

    def test_faults_that_cancel_make_nobody_else_guilty(self):
        """op3 and op7 are wrong by as much in opposite directions: op9 alone makes the subject fail."""
        named = []
        for seed in range(2, 8):
            self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--cause", "op7=-3", "--cause", "op9=2", suspects=24,
                                                             steps=600, search=f"search: {{seed: {seed}, budget: {{trials: 120}}}}"))
            self.bisectd("run", "experiment.yaml", "--new")
            named.append(self.culprits(self.report()))
            self.assertIn(named[-1], ([], ["ops:op9"], ["ops:op3", "ops:op7", "ops:op9"]))
        self.assertLessEqual(named.count([]), 2)  # verdicts that contradict each other for good: no answer

    def test_nothing_wrong(self):
        report, _ = self.find(code=0)
        self.assertEqual(report["outcome"], "aligned")
        self.assertEqual(report["culprit_set"], [])

    def test_cause_outside_the_suspects(self):
        report, done = self.find("--last-loss", "2.1", code=3)
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertIn("dataset, hyper-parameters", done.out)

    def test_a_suspect_that_does_harm_when_it_is_neutralised(self):
        for search in ("", "search: {signature_steps: 0}"):
            with self.subTest(search=search):
                report, done = self.find("--cause", "op3=3", "--cause", "!op9=2", suspects=12, search=search, options=("--new",))
                self.assertEqual(self.culprits(report), ["ops:op3"])
                self.assertEqual(self.causes(report), [["op3"]])
                self.assertIn("With everything neutralised the run was off, too", done.out)

    def test_all_suspects_guilty(self):
        causes = [word for i in range(4) for word in ("--cause", f"op{i}=2")]
        report, _ = self.find(*causes, suspects=4)
        self.assertEqual(len(report["culprit_set"]), 4)

    def test_one_suspect_only(self):
        report, _ = self.find("--cause", "op0=2", suspects=1)
        self.assertEqual(self.culprits(report), ["ops:op0"])

    def test_several_devices_give_the_same_answer_as_one(self):
        one, _ = self.find("--cause", "op7=3", "--cause", "op11=2", suspects=16)
        two, _ = self.find("--cause", "op7=3", "--cause", "op11=2", suspects=16, devices="[0, 1, 2, 3]",
                           extra="")
        self.assertEqual(self.culprits(one), self.culprits(two))
        devices = {attempt["device"] for trial in two["trial_list"] for attempt in trial["attempts"]}
        self.assertLessEqual({"npu 0", "npu 1"}, devices)

    def test_a_suspect_that_cannot_be_neutralised_is_said(self):
        report, done = self.find("--cause", "op3=3", "--crash-off", "op6")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertIn("op6", done.out)

    def test_a_pair_that_crashes_only_together(self):
        report, _ = self.find("--cause", "op3=3", "--crash-off", "op6+op1")
        self.assertEqual(self.culprits(report), ["ops:op3"])

    def test_a_suspect_that_hangs_when_neutralised(self):
        report, _ = self.find("--cause", "op1=3", "--hang-off", "op0", suspects=3, subject="stall: 400ms")
        self.assertEqual(self.culprits(report), ["ops:op1"])

    def test_a_hang_at_exit_is_a_whole_run(self):
        report, _ = self.find("--cause", "op1=3", "--hang-at-exit", suspects=2)
        self.assertEqual(self.culprits(report), ["ops:op1"])
        self.assertEqual(self.processes_of_this_test(), [])

    def test_strays_in_sessions_of_their_own_are_ended(self):
        report, _ = self.find("--cause", "op1=3", "--strays", "2", suspects=2)
        self.assertEqual(self.culprits(report), ["ops:op1"])
        self.assertEqual(self.processes_of_this_test(), [])

    def test_no_effect_is_reported(self):
        report, done = self.find("--cause", "op1=3", "--no-effect", "op4", discover=True, effect=True)
        self.assertEqual(self.culprits(report), ["ops:op1"])
        self.assertEqual([entry["name"] for entry in report["no_effect"]], ["op4"])

    def test_a_subject_that_hides_its_traces_is_warned_of_and_not_accused(self):
        text = hostile_experiment("--cause", "op1=3", "--no-effect", "op4", discover=True, effect=True,
                                  subject="environment: {LOUD: '0'}")
        self.write("experiment.yaml", text.replace("effect: {log:", "effect: {environment: {LOUD: '1'}, log:"))
        done = self.bisectd("run", "experiment.yaml", code=1)
        line = r"experiment\.yaml:\d+:\d+: {}family `ops` finds its traces in the log with LOUD=1"
        self.assertRegex(done.err, line.format("warning: "))
        self.assertTrue(any(re.search(line.format(""), warning) for warning in self.report()["warnings"]))
        self.assertEqual(self.report()["no_effect"], [])

    def test_discovery_leaves_out_what_runs_on_the_cpu(self):
        report, _ = self.find("--cause", "op1=3", "--on-cpu", "op2,op5", discover=True, effect=True)
        names = [suspect["name"] for suspect in report["suspects"]]
        self.assertEqual(names, ["op0", "op1", "op3", "op4", "op6", "op7"])

    def test_a_working_directory_is_relative_to_the_file_that_says_it(self):
        (self.folder / "models/training").mkdir(parents=True)
        self.write("models/base.yaml", "version: 1\nsubject: {directory: training}")
        self.write("nightly/experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2, extra="extends: ../models/base.yaml"))
        self.bisectd("run", "nightly/experiment.yaml", code=1)
        command = next(self.run_folder().glob("trials/0002/attempt-1/command.sh")).read_text()
        self.assertIn(f"cd {self.folder}/models/training ||", command)

    def test_a_recorded_reference_is_relative_to_the_file_that_says_it(self):
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.bisectd("run", "experiment.yaml", code=0)
        self.bisectd("accept", self.run_folder(), "-o", "baselines/hostile.json", code=0)
        text = hostile_experiment("--cause", "op1=3", suspects=2)
        begin, end = text.index("reference:"), text.index("subject:")
        self.write("nightly/experiment.yaml", text[:begin] + "reference: {curve: ../baselines/hostile.json}\n" + text[end:])
        self.bisectd("run", "nightly/experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op1"])

    def test_hostile_log_text_does_no_harm(self):
        report, done = self.find("--cause", "op1=3", "--garbage", "--torn", "--long-line")
        self.assertEqual(self.culprits(report), ["ops:op1"])
        for text in (done.out, done.err, (self.run_folder() / "report.md").read_text()):
            self.assertNotIn("\x1b", text)

    def test_a_training_that_ends_early_is_no_evidence(self):
        _, done = self.find("--truncate-at", "50", code=4)
        self.assertIn("truncated", done.out + done.err)

    def test_a_culprit_that_cannot_be_neutralised_is_not_cleared(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", "--crash-off", "op1", suspects=8))
        said = self.bisectd("run", "experiment.yaml", code=3).out
        self.assertIn("hostile: cause not found\nThe cause is ops:op1, or outside the 8 suspects: with all others neutralised "
                      "loss still differs by +3.00 %", said)
        explained = self.bisectd("explain", self.run_folder(), "ops:op1", code=0).out
        self.assertIn("may hide a cause", explained)

    def test_a_jump_in_the_last_steps_is_found(self):
        report, _ = self.find("--cause", "op1=3", "--cause", "op5=90@98.1", steps=510, repeats=8)
        self.assertEqual(self.culprits(report), ["ops:op1", "ops:op5"])

    def test_a_fix_that_is_proved_when_the_budget_ends_is_said(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", "--cause", "op6=2",
                                                         search="search: {signature_steps: 0, budget: {trials: 8}}"))
        said = self.bisectd("run", "experiment.yaml", code=3).out
        self.assertIn("Proved: with ops:op1 and ops:op6 neutralised it passes, and each of them is needed.", said)

    def test_the_budget_is_kept_and_said(self):
        report, done = self.find("--cause", "op3=3", "--cause", "op9=3", suspects=32,
                                 search="search: {budget: {trials: 4}}", code=3)
        self.assertEqual(report["outcome"], "inconclusive")
        self.assertIn("budget", done.out)


class Workaround(Space):
    def test_sourcing_it_mends_the_training(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("run", "experiment.yaml", code=1)
        value = subprocess.run(["sh", "-c", '. "$1" && printf %s "$HOSTILE_OFF"', "sh",
                                self.run_folder() / "workaround.sh"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(value, "op3")

    def test_an_attempt_can_be_repeated_by_hand(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        self.bisectd("run", "experiment.yaml", code=1)
        attempt = next((self.run_folder() / "trials").glob("0003/attempt-1"))
        again = subprocess.run([attempt / "command.sh"], cwd=self.folder, capture_output=True, check=True).stdout
        self.assertEqual(again, (attempt / "stdout.log").read_bytes())

    def test_what_is_run_by_hand_is_no_evidence(self):
        """It writes into a folder of its own, and `resume` does not end it."""
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--side-channel", "{attempt}=x"))
        self.bisectd("run", "experiment.yaml", code=1)
        before = {path: path.read_bytes() for path in self.run_folder().glob("trials/*/*/*")}
        for script in self.run_folder().glob("trials/*/*/command.sh"):
            self.assertEqual(script.stat().st_mode & 0o777, 0o700)
            subprocess.run([script], cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(before, {path: path.read_bytes() for path in self.run_folder().glob("trials/*/*/*")})
        scripts = list(self.run_folder().glob("trials/0002/*/command.sh"))
        again = list(self.folder.glob("by-hand.*/metrics.jsonl"))
        self.assertGreaterEqual(len(again), len(scripts))
        tag = self.journal()[0]["run_tag"]
        self.assertFalse([script for script in scripts if tag in script.read_text()], "resume would end it")

    def test_secrets_are_written_nowhere(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op0=3", suspects=1,
                                                         subject="environment: {MY_API_KEY: hunter2}"))
        self.bisectd("run", "experiment.yaml", code=1, environment={"OTHER_TOKEN": "hunter2", "http_proxy": "http://me:hunter2@proxy:1"})
        found = subprocess.run(["grep", "-rl", "hunter2", self.run_folder()], capture_output=True, text=True).stdout
        self.assertEqual(found, "")
        self.write("experiment.yaml", hostile_experiment("--cause", "op0=3", "access_token=hunter2", suspects=1,
                                                         subject="environment: {MONKEY_PATCH: '1', ftp_proxy: 'ftp://me:hunter2@proxy'}"))
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        found = subprocess.run(["grep", "-rl", "hunter2", self.run_folder()], capture_output=True, text=True).stdout
        self.assertEqual(found, "")
        script = next(self.run_folder().glob("trials/0002/attempt-1/command.sh"))
        self.assertIn("MONKEY_PATCH=1", script.read_text())
        without = subprocess.run([script], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("secrets are not written here", without.stderr)
        self.assertEqual(list(self.folder.glob("by-hand.*")), [])
        known = {"BISECTD_SECRET_1": "hunter2", "ftp_proxy": "x"}
        again = subprocess.run([script], cwd=self.folder, capture_output=True, env=self.environment(known), check=True).stdout
        self.assertEqual(again, (script.parent / "stdout.log").read_bytes())


class Json(Space):
    def test_stdout_is_one_document(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3"))
        done = self.bisectd("run", "experiment.yaml", "--json", code=1)
        self.assertEqual(self.culprits(json.loads(done.out)), ["ops:op3"])
        quiet = self.bisectd("run", "experiment.yaml", "--json", "--quiet", "--new", code=1)
        self.assertEqual(quiet.err, "")


if __name__ == "__main__":
    unittest.main()
