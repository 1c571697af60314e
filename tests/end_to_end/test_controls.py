"""What an answer rests on is run once more at the end: worlds that change during the night accuse nobody."""
import json
import shutil
import sys
import unittest

from space import SOURCE, Space

sys.path.insert(0, str(SOURCE / "tests/bench"))
import changing_worlds

GUILTY, OTHER = ["op2", 3], ["op4", -2]


class Controls(Space):
    def play(self, causes=(GUILTY,), code=1, goal="curve", devices=1, **world):
        """After `changes_at` runs of the subject, `late` and `late_everywhere` are all that is wrong."""
        shutil.rmtree(self.folder / "bisectd-out", ignore_errors=True)  # what was found before changes the odds
        world = {"suspects": [f"op{i}" for i in range(6)], "causes": list(causes), "late": [], "late_everywhere": 0, "goal": goal,
                 "devices": devices, "seed": 1} | world
        self.write("world.json", json.dumps(world))
        self.write("train.py", changing_worlds.TRAIN)
        self.write("count", "")
        self.write("experiment.yaml", changing_worlds.experiment(world, 2))  # by verdicts alone
        done = self.bisectd("run", "experiment.yaml", code=code)
        return self.report(), done

    def controls(self, report):
        names = [suspect["name"] for suspect in report["suspects"]]
        return [([names[i] for i in trial["neutralised"]], trial["verdict"]) for trial in report["trial_list"]
                if trial["role"] == "control"]

    def runs_before_the_controls(self):
        roles = {record["trial"]: record["role"] for record in self.journal() if record["kind"] == "trial"}
        return sum(record["kind"] == "attempt-started" and roles[record["trial"]] not in ("reference", "control")
                   for record in self.journal())

    def changed_before_the_controls(self, **world):
        """On two devices the order in which trials end decides how many there are: then once more."""
        for _ in range(10):
            self.play(**{key: value for key, value in world.items() if not key.startswith("late")})
            runs = self.runs_before_the_controls()
            report, done = self.play(code=None, changes_at=runs, **world)
            if self.runs_before_the_controls() == runs:
                return report, done
        self.fail("no two searches took as many runs")

    def accuses_nobody(self, why, **world):
        """In a world that changes when the search is over, just before the controls."""
        report, done = self.changed_before_the_controls(**world)
        self.assertEqual(done.returncode, 3, done.out)
        self.assertEqual(report["outcome"], "inconclusive")
        self.assertIn("No answer: the evidence does not carry one. Nobody is accused.", done.out)
        self.assertRegex(done.out, why)
        self.assertIn("look at what changed between the trials that are named", done.out)
        return report

    def test_the_fix_passes_once_more_and_fails_without_its_member(self):
        report, done = self.play()
        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertEqual(self.controls(report), [(["op2"], "pass"), ([], "fail")])
        self.assertIn("control: what the answer rests on, once more at the end of the run", done.err)
        self.assertRegex(done.out, r"Once more at the end of the run: ops:op2 neutralised: pass \(trial \d+\), nothing neutralised: "
                                   r"fail \(trial \d+\)\.")

    def test_a_control_runs_on_a_device_that_has_not_run_its_set_before(self):
        def devices():
            self.play(devices=2)
            trials = {record["trial"]: record for record in self.journal() if record["kind"] == "trial"}
            runs = [(trials[record["trial"]], record["device"]) for record in self.journal() if record["kind"] == "attempt-started"]
            control, device = next(run for run in runs if run[0]["role"] == "control")
            return device, {device for trial, device in runs
                            if trial["neutralised"] == control["neutralised"] and trial["trial"] < control["trial"]}
        # Where verdicts arrive out of order, the search has tried the fix on both devices: then there is no other one.
        device, before = next(found for found in (devices() for _ in range(5)) if len(found[1]) == 1)
        self.assertEqual({device} | before, {"npu 0", "npu 1"})

    def test_a_fault_that_heals_accuses_nobody(self):
        for devices, goal in ((1, "curve"), (2, "curve"), (1, "runs")):
            with self.subTest(devices=devices, goal=goal):
                self.accuses_nobody(r"with nothing neutralised it failed in trial \d and passed in trial \d+, .* later", devices=devices,
                                    goal=goal)

    def test_a_change_before_the_controls_accuses_nobody_where_there_is_noise(self):
        for later in ({"late": []}, {"late": [GUILTY], "late_everywhere": 4}):
            with self.subTest(**later):
                self.play(noise=0.35, seed=9, code=None)
                report, done = self.play(code=3, noise=0.35, seed=9, changes_at=self.runs_before_the_controls(), **later)
                self.assertEqual(report["outcome"], "inconclusive")
                self.assertIn("Nobody is accused", done.out)

    def test_where_noise_is_in_the_way_it_is_said(self):
        report, done = self.play(causes=(["op2", 1.3],), code=3, noise=1.0, seed=8)
        self.assertEqual(report["outcome"], "inconclusive")
        self.assertIn("It is the noise, not a broken run, that is in the way", done.out)

    def test_with_noise_a_change_during_the_search_is_neither_a_pass_nor_outside_the_suspects(self):
        told = 0
        for changes_at in (8, 12, 16):
            for later in ({"late": []}, {"late": [GUILTY], "late_everywhere": 6}):
                with self.subTest(changes_at=changes_at, **later):
                    report, done = self.play(code=None, noise=0.05, seed=changes_at, changes_at=changes_at, **later)
                    self.assertIn(report["outcome"], ("culprits", "inconclusive"))
                    told += "which noise does not explain" in done.out
                    if report["outcome"] == "culprits":
                        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertGreater(told, 0)

    def test_one_of_two_faults_that_heals_accuses_nobody(self):
        self.accuses_nobody(r"with ops:op2 neutralised it .*passed in trial \d+", causes=(GUILTY, OTHER), late=[GUILTY])

    def test_a_device_that_goes_bad_accuses_nobody(self):
        self.accuses_nobody(r"with ops:op2 neutralised it passed in trial \d+ and failed in trial \d+", late=[GUILTY], late_everywhere=2)

    def test_a_device_that_is_always_off_is_seen_before_the_search(self):
        report, done = self.play(code=3, devices=2, bad_device="1", suspects=[f"op{i}" for i in range(12)])
        self.assertIn("depends on where it ran: runs of the subject as it is end at least 3 % higher on npu 1 than on npu 0", done.out)
        self.assertIn("leave it out of subject.devices", done.out)
        self.assertEqual({trial["role"] for trial in report["trial_list"]}, {"reference", "as-is"})
        before = self.journal()
        self.bisectd("resume", "bisectd-out/latest", code=3)
        started = [record for record in self.journal() if record["kind"] == "attempt-started"]
        self.assertEqual([record for record in before if record["kind"] == "attempt-started"], started, "something is launched again")

    def test_what_is_wrong_only_beside_others_is_not_accused_without_signatures(self):
        named = set()
        for seed in range(4):
            report, _ = self.play(causes=(GUILTY, OTHER), late=[GUILTY, OTHER], goal="runs", code=None, beside={"op2": f"op{seed % 2}"},
                                  seed=seed)
            if report["outcome"] == "culprits":
                named |= set(self.culprits(report))
        self.assertLessEqual(named, {"ops:op4"})

    def test_controls_are_not_run_again_by_a_resumed_run(self):
        report, _ = self.play(causes=(GUILTY, OTHER))
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if '"role":"control"' in line)
        for last in range(first, len(lines), 2):
            with self.subTest(last=last):
                journal.write_text("".join(lines[:last]))
                self.bisectd("resume", "bisectd-out/latest", code=1)
                self.assertEqual(self.controls(self.report()), self.controls(report))

    def test_a_contradicted_answer_stays_so_when_it_is_resumed(self):
        self.accuses_nobody("with nothing neutralised")
        before = self.report()
        self.bisectd("resume", "bisectd-out/latest", code=3)
        after = self.report()
        self.assertEqual((after["outcome"], after["trials"]), ("inconclusive", before["trials"]))

    def test_a_first_control_that_contradicts_stays_the_last_one(self):
        self.accuses_nobody("with ops:op2 and ops:op4 neutralised", causes=(GUILTY, OTHER), late=[GUILTY, OTHER], late_everywhere=2)
        controls = self.controls(self.report())
        for _ in range(2):
            self.bisectd("resume", "bisectd-out/latest", code=3)
            self.assertEqual(self.controls(self.report()), controls, "a run that is over goes on")

    def test_a_control_without_a_verdict_is_tried_again_by_resume(self):
        self.play()
        runs = self.runs_before_the_controls()
        script = changing_worlds.TRAIN.replace('world["goal"] == "runs" and', f"seen >= {runs} and os.path.exists('broken') or "
                                                                               'world["goal"] == "runs" and')
        self.write("train.py", script)
        for name in ("broken", "count"):
            self.write(name, "")
        self.write("experiment.yaml", (self.folder / "experiment.yaml").read_text() + "\n")
        shutil.rmtree(self.folder / "bisectd-out")
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("all is proved but for the last look", done.out + done.err)
        self.assertEqual(self.report()["outcome"], "infrastructure")
        (self.folder / "broken").unlink()
        self.bisectd("resume", "bisectd-out/latest", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op2"])
        self.assertEqual(self.controls(self.report()), [(["op2"], "unresolved"), (["op2"], "pass"), ([], "fail")])

    def watched(self, needs, **world):
        """Operators that run in a mode: `mends` says whether the mode does it, whatever is neutralised."""
        self.play(**world)  # for its experiment
        shutil.rmtree(self.folder / "bisectd-out")
        self.write("train.py", changing_worlds.TRAIN.replace("draw = ", f"""\
            mode = off or os.environ.get("LIST")
            if os.environ.get("LIST"): print("ran op2")
            if mode and {needs}: world["causes"] = []
            draw = """.replace(" " * 12, ""), 1))
        family = "{kind: list, deliver: {environment: OFF, separator: \",\"}"
        experiment = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", experiment.replace(
            family, family + ", discover: {ran: 'ran (?P<name>.+)', environment: {LIST: 1}}, watched: search the compiler"))

    def test_where_looking_at_suspects_mends_the_training_nobody_is_accused(self):
        self.watched(needs="True")
        done = self.bisectd("run", "experiment.yaml", code=3)
        report = self.report()
        self.assertEqual(report["outcome"], "inconclusive")
        self.assertRegex(done.out, r"The fault goes as soon as ops are watched, with none of them neutralised \(trial 3\), so it is in none")
        self.assertIn("Next: search the compiler; and start anew", done.out)
        self.assertEqual([trial["verdict"] for trial in report["trial_list"] if trial["role"] == "watched"], ["pass"])
        self.assertEqual(len(report["trial_list"]), 3)
        self.bisectd("resume", "bisectd-out/latest", code=3)
        self.assertEqual(len(self.report()["trial_list"]), 3)

        experiment = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", experiment[:experiment.index("suspects:")] + "suspects: {ops: {discover: true}}\n")
        done = self.bisectd("run", "experiment.yaml", "--new", code=3)
        self.assertIn("with none of them neutralised (trial 4), so it is in none", done.out)

    def test_a_fault_that_stays_while_suspects_are_looked_at_is_accused(self):
        self.watched(needs="False")
        self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertEqual([trial["verdict"] for trial in report["trial_list"] if trial["role"] == "watched"], ["fail"])
        experiment = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", experiment.replace("[op0, op1, op2, op3, op4, op5]", "{discover: true}"))
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertNotIn("watched", [trial["role"] for trial in self.report()["trial_list"]], "the discovery run shows it")

    def test_without_hours_left_for_controls_nothing_is_proved(self):
        self.play()
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if '"role":"control"' in line)
        journal.write_text("".join(lines[:first]))
        experiment = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", experiment.replace("{trials: 150}", "{hours: 0.0000001}"))
        done = self.bisectd("resume", "bisectd-out/latest", "--accept-changes", code=3)
        self.assertIn("The search came to ops:op2 as the culprit set. The budget was spent before this could be tried once more at the end "
                      "of the run.", done.out)
        self.write("experiment.yaml", experiment)
        self.bisectd("resume", "bisectd-out/latest", "--accept-changes", code=1)
        self.assertEqual(len(self.controls(self.report())), 2)

    def test_a_subject_that_breaks_in_some_runs_only_is_no_case_for_a_search(self):
        report, done = self.play(causes=(), goal="runs", code=3, changes_at=2, late=[GUILTY])
        self.assertEqual(self.controls(report), [])
        self.assertRegex(report["advice"], r"The subject as it is broke in [123] of 5 runs and came to its end in the others")


if __name__ == "__main__":
    unittest.main()
