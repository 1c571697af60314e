"""A run that was interrupted or killed goes on where it was: no finished attempt again, no process left behind."""
import json
import random
import re
import shlex
import signal
import time
import unittest

from space import HOSTILE, Space, hostile_experiment


class Resume(Space):
    def prepare(self, *options, **experiment):
        self.write("experiment.yaml", hostile_experiment(
            "--cause", "op3=3", "--cause", "op12=3", "--step-ms", "2", "--count", self.folder / "count.txt", *options,
            suspects=16, devices="[0, 1]", **experiment))

    def interrupted_run(self):
        self.prepare()
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and any(r["kind"] == "attempt-ended" for r in self.journal()))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        return self.run_folder()

    def finished_attempts(self):
        path = self.folder / "count.txt"
        ends = [line.split()[-1] for line in path.read_text().splitlines() if line.startswith("end")]
        return [tag.split("/")[-1] for tag in ends if tag]

    def assert_right(self):
        self.assertEqual(self.culprits(self.report()), ["ops:op12", "ops:op3"])
        self.assertEqual(self.processes_of_this_test(), [])

    def assert_nothing_ran_twice(self):
        """No attempt's number was used twice, and no set was brought to its end twice."""
        finished = self.finished_attempts()
        self.assertEqual(len(finished), len(set(finished)), finished)
        ended = [(r["trial"], r["attempt"]) for r in self.journal() if r["kind"] == "attempt-ended"]
        self.assertEqual(len(ended), len(set(ended)))
        whole = {}
        for trial, attempt in ended:
            whole.setdefault(trial, []).append(attempt)
        sets = [r["neutralised"] for r in self.journal() if r["kind"] == "trial" and r["role"] in ("signature", "search", "certificate")]
        self.assertEqual(len(sets), len(set(sets)), "a set was tried twice")

    def test_kill_at_any_moment(self):
        randomly = random.Random(7)
        self.prepare()
        for kill in range(8):
            process = self.start("run", "experiment.yaml")
            time.sleep(randomly.uniform(0.05, 0.4))
            process.send_signal(signal.SIGKILL)
            process.wait()
            if self.run_folder().exists() and b'"kind":"finished"' in (self.run_folder() / "journal.jsonl").read_bytes():
                break  # another `run` would rightly start anew
        begun = self.run_folder().exists()  # where the machine is busy all may have been killed before
        self.bisectd(*(["resume", self.run_folder()] if begun else ["run", "experiment.yaml"]), code=1)
        self.assert_right()
        self.assert_nothing_ran_twice()

    def test_the_answer_and_the_trials_are_those_of_an_undisturbed_run(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", "--step-ms", "2", suspects=16))
        self.bisectd("run", "experiment.yaml", "--out", "undisturbed", code=1)
        process = self.start("run", "experiment.yaml", "--out", "killed")
        self.wait_for(lambda: (self.folder / "killed/latest/journal.jsonl").exists() and
                      sum(r["kind"] == "judged" for r in self.journal("killed")) >= 4)
        process.kill()
        process.wait()
        self.bisectd("resume", "killed/latest", code=1)
        tried = {out: [r["neutralised"] for r in self.journal(out) if r["kind"] == "trial"] for out in ("undisturbed", "killed")}
        self.assertEqual(tried["undisturbed"], tried["killed"])

    def test_interrupt_says_how_to_go_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.prepare("--ignore-term") if number == signal.SIGTERM else self.prepare()
                process = self.start("run", "experiment.yaml", "--new")
                self.wait_for(lambda: self.processes_of_this_test() and self.run_folder().exists())
                time.sleep(0.3)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=30), 128 + number)
                self.assertIn("bisectd resume", (self.folder / "stderr.txt").read_text())
                self.assertEqual(self.processes_of_this_test(), [])
        self.bisectd("resume", self.run_folder(), code=1)
        self.assert_right()

    def test_run_goes_on_with_its_own_run_though_others_came_after_it(self):
        interrupted = self.interrupted_run()
        for name in ("hostile-2", "other"):  # the first of them has a folder that begins alike
            self.write("other.yaml", hostile_experiment("--cause", "op1=3", suspects=2).replace("name: hostile", f"name: {name}"))
            self.bisectd("run", "other.yaml", code=1)
            self.assertNotEqual(self.run_folder(), interrupted)
        self.bisectd("trial", "experiment.yaml", "--off", "op3", code=1)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.run_folder(), interrupted, "latest is the run that was driven last")
        self.assert_right()
        self.assertEqual(len([*self.folder.glob("bisectd-out/hostile-2*Z")]), 1 + 1, "a run was begun anew")

    def test_an_unfinished_run_of_another_experiment_with_this_name_is_left_alone(self):
        unfinished = self.interrupted_run()
        self.write("other.yaml", hostile_experiment("--cause", "op1=3", suspects=2).replace("name: hostile", "name: other"))
        self.bisectd("run", "other.yaml", code=1)
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", "--seed", "4", suspects=4))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertNotEqual(self.run_folder(), unfinished)

    def test_the_command_to_go_on_with_can_be_typed_as_it_stands(self):
        self.prepare()
        process = self.start("run", "experiment.yaml", "--out", "my runs")
        self.wait_for(lambda: self.processes_of_this_test() and self.run_folder("my runs").exists())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 130)
        command = (self.folder / "stderr.txt").read_text().splitlines()[-1].split("go on with: bisectd ")[1]
        self.assertEqual(shlex.split(command), ["resume", str(self.run_folder("my runs"))])

    def test_resuming_a_finished_run_only_says_the_result_again(self):
        self.prepare()
        first = self.bisectd("run", "experiment.yaml", code=1)
        attempts = len(self.finished_attempts())
        again = self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(first.out, again.out)
        self.assertEqual(len(self.finished_attempts()), attempts)

    def test_two_drivers_cannot_share_a_run(self):
        self.prepare()
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.run_folder() / "journal.jsonl").exists())
        refused = self.bisectd("resume", self.run_folder(), code=4)
        self.assertIn(str(process.pid), refused.err)
        self.assertEqual(process.wait(timeout=60), 1)

    def test_a_clock_that_went_back_between_two_runs(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1)
        finished = self.run_folder().resolve()
        finished.rename(finished.parent / "hostile-29990101T000000Z")
        self.interrupted_run()
        self.bisectd("run", "experiment.yaml", code=1)
        self.assert_right()
        self.assertEqual(len(list(finished.parent.glob("hostile-*"))), 2, "the run that was interrupted is not gone on with")

    def test_a_changed_file_of_the_setup_is_refused_by_name(self):
        self.write("env.sh", "export X=1\n")
        self.prepare(search="search: {budget: {trials: 3}}")
        text = (self.folder / "experiment.yaml").read_text().replace("subject:\n", "subject:\n  setup: . ./env.sh\n", 1)
        self.write("experiment.yaml", text)
        self.bisectd("run", "experiment.yaml", code=3)
        self.bisectd("resume", self.run_folder(), code=3)
        self.write("env.sh", "export X=2\n")
        refused = self.bisectd("resume", self.run_folder(), code=2)
        self.assertIn("./env.sh was changed since this run began, and `setup` names it.", refused.err)
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=3)
        self.bisectd("resume", self.run_folder(), code=3)  # that is what it goes by now
        (self.folder / "env.sh").unlink()
        refused = self.bisectd("resume", self.run_folder(), code=2)
        self.assertIn("./env.sh was removed since this run began, and `setup` names it.", refused.err)

    def test_what_the_setup_writes_itself_is_no_change(self):
        self.write("env.sh", "date +%N; export X=1\n")
        self.write("setup.log", "")
        self.prepare(search="search: {budget: {trials: 3}}")
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("subject:\n", "subject:\n  setup: . ./env.sh >setup.log 2>&1\n", 1))
        self.bisectd("run", "experiment.yaml", code=3)
        self.bisectd("resume", self.run_folder(), code=3)

    def test_a_changed_experiment_is_refused_with_the_difference(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        self.prepare(search="search: {budget: {trials: 90}}")
        refused = self.bisectd("resume", self.run_folder(), code=2)
        self.assertRegex(refused.err, r"- +trials: 3\n")
        self.assertRegex(refused.err, r"\+ +trials: 90\n")
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assert_right()
        self.assertEqual(self.journal()[-1]["kind"], "finished")
        self.assertIn("ops:op12 and ops:op3 make loss leave", self.bisectd("status", self.run_folder(), code=0).out)
        told = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
        self.assertEqual((told["outcome"], self.culprits(told)), ("culprits", ["ops:op12", "ops:op3"]))
        past = (self.folder / "bisectd-out/history.jsonl").read_text().splitlines()
        self.assertEqual([json.loads(line)["outcome"] for line in past], ["inconclusive", "culprits"])

    def test_what_verdicts_rest_on_cannot_be_accepted(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        text = (self.folder / "experiment.yaml").read_text()
        before = (self.run_folder() / "journal.jsonl").read_bytes()
        for changed, names in ((text + "accept: {target: 2%}\n", r"- accept.target: 0.5%\n  \+ accept.target: 2%\n"),
                               (text.replace("op12=3", "op12=4"), r"\+ subject.command: .*op12=4"),
                               (text.replace("repeats: 5", "repeats: 6"), r"\+ reference.repeats: 6"),
                               (text.replace("format: paddleocr", "format: paddleseg"), r"\+ metric.loss.format: paddleseg"),
                               (text.replace("HOSTILE_OFF", "HOSTILE_ON"), r"\+ families.ops.deliver.environment: HOSTILE_ON"),
                               (text + "steps: 100\n", r"\+ steps: 100")):
            with self.subTest(names):
                self.write("experiment.yaml", changed)
                for flag in (["--accept-changes"], []):
                    refused = self.bisectd("resume", self.run_folder(), *flag, code=2).err
                    self.assertRegex(refused, names)
                    self.assertIn("start anew with --new", refused)
                    self.assertNotIn("--accept-changes", refused)
        self.assertEqual((self.run_folder() / "journal.jsonl").read_bytes(), before)
        text = text.replace("exit_grace: 500ms", "exit_grace: 600ms\n  stall: 9m").replace("trials: 3", "trials: 90")
        self.write("experiment.yaml", text + "accept: {max_repeats: 5, step_time: +10%, standard: verl}\nchecks: {same: {command: [echo, a]}}\n")
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assert_right()

    def test_a_trial_that_is_half_done_cannot_go_on_with_other_runs(self):
        self.prepare(reference="devices: {kind: npu, ids: [9]}")  # one at a time
        text = (self.folder / "experiment.yaml").read_text()
        first_only = f'["sh", "-c", "test -z \\"$HOSTILE_PERTURB\\" || sleep 60; exec \\"$@\\"", "sh", "{HOSTILE}"'
        self.write("experiment.yaml", text.replace(f'["{HOSTILE}"', first_only, 1))
        process = self.start("run", "experiment.yaml")
        journal = lambda: (self.run_folder() / "journal.jsonl").read_text()
        self.wait_for(lambda: (self.folder / "bisectd-out/latest").exists() and "attempt-ended" in journal())
        process.send_signal(signal.SIGINT)
        process.wait()
        self.assertNotIn('"judged"', journal())
        self.write("experiment.yaml", text.replace('"--generate"', '"--seed", "2", "--generate"', 1))
        self.assertIn("reference.command", self.bisectd("resume", self.run_folder(), "--accept-changes", code=2).err)

    def test_a_subject_that_never_ran_can_be_mended(self):
        """The references stay: they rest on nothing of the subject."""
        self.prepare("--crash-at", "5")
        self.bisectd("run", "experiment.yaml", code=4)
        self.prepare(reference="environment: {X: '1'}")
        self.assertIn("reference.environment.X", self.bisectd("resume", self.run_folder(), "--accept-changes", code=2).err)
        self.prepare()
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assert_right()
        self.assertEqual([r["role"] for r in self.journal() if r["kind"] == "trial"].count("reference"), 1)

    def test_a_kill_after_a_larger_budget_reopened_it(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        self.prepare(search="search: {budget: {trials: 90}}")
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        kinds = [json.loads(line)["kind"] for line in lines]
        started = max(i for i, kind in enumerate(kinds) if kind == "attempt-started")
        journal.write_text("".join(lines[:started + 1]))
        open_trial = json.loads(lines[started])["trial"]
        self.bisectd("resume", self.run_folder(), code=1)
        self.assert_right()
        judged = [r["trial"] for r in self.journal() if r["kind"] == "judged"]
        self.assertEqual(judged.count(open_trial), 1, "the open trial was not taken up")

    def test_a_family_that_was_removed_cannot_be_accepted(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("  ops:\n", "  kernels:\n").replace("  ops: [", "  kernels: ["))
        journal = self.run_folder() / "journal.jsonl"
        before = journal.read_bytes()
        for command in ("resume", "report"):
            refused = self.bisectd(command, self.run_folder(), "--accept-changes", code=2)
            self.assertIn("does not search its family ops any more", refused.err)
        self.assertEqual(journal.read_bytes(), before)

    def test_suspects_that_were_added_are_named(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        self.write("experiment.yaml", (self.folder / "experiment.yaml").read_text().replace("op15]", "op15, op16, op17]"))
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=3)
        self.assertIn("not searched: ops:op16, ops:op17. The suspects of a run are those it began with",
                      " ".join(self.report()["warnings"]))

    def leave_out(self, *names):
        """`names` are no suspects from now on; how long the journal is by then."""
        text = (self.folder / "experiment.yaml").read_text().replace("trials: 3}", "trials: 90}")
        for name in names:
            text = text.replace(f"{name}, ", "")
        self.write("experiment.yaml", text)
        return len(self.journal())

    def assert_active(self, name, since):
        (position,) = (i for i, one in enumerate(self.report()["suspects"]) if one["name"] == name)
        tried = [r["neutralised"] for r in self.journal()[since:] if r["kind"] == "trial"]
        self.assertEqual([sets for sets in tried if sets[len(sets) - 1 - position] != "0"], [])
        self.assertRegex(" ".join(self.report()["warnings"]), rf"no suspects any more, .*: ops:{name}\.")

    def test_a_suspect_that_was_left_out_stays_active(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        since = self.leave_out("op5")
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assert_right()
        self.assert_active("op5", since)
        self.assertGreater(len(self.report()["trial_list"]), 5)

    def test_the_guilty_one_that_was_left_out_is_not_accused(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1)
        since = self.leave_out("op12")
        said = self.bisectd("resume", self.run_folder(), "--accept-changes", code=3).out
        self.assertIn("The cause is ops:op12, or outside the 16 suspects", said)
        self.assertEqual(self.culprits(self.report()), [])
        self.assert_active("op12", since)
        self.assertEqual(self.bisectd("resume", self.run_folder(), code=3).out, said)
        told = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
        self.assertEqual(told["outcome"], "outside_suspects")

    def test_the_fix_of_a_pair_is_the_one_that_was_not_excluded(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op2+op3=3", "--discover", discover=True))
        self.bisectd("run", "experiment.yaml", code=1)
        (fix,) = self.culprits(self.report())
        (other,) = {"ops:op2", "ops:op3"} - {fix}
        excluded, since = fix.removeprefix("ops:"), len(self.journal())
        text = (self.folder / "experiment.yaml").read_text()
        self.write("experiment.yaml", text.replace("discover: true}", f"discover: true, exclude: [{excluded}]}}"))
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assertEqual(self.culprits(self.report()), [other])
        self.assertEqual(self.causes(self.report()), [[other.removeprefix("ops:")]])
        self.assert_active(excluded, since)

    def test_a_ladder_that_was_added_is_named_and_not_tried(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        text = (self.folder / "experiment.yaml").read_text().replace("trials: 3", "trials: 90")
        scale = '  scale: {kind: ladder, deliver: {environment: SCALE}, values: [1, 2], suspect: 2}\n'
        self.write("experiment.yaml", text.replace("families:\n", "families:\n" + scale).replace("suspects:\n", "suspects:\n  scale: all\n"))
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assert_right()
        self.assertIn("not searched: scale:scale.", " ".join(self.report()["warnings"]))
        self.bisectd("resume", self.run_folder(), code=1)
        self.bisectd("report", self.run_folder(), code=0)

    def test_a_subject_whose_logs_were_damaged_is_the_trial_that_is_run_again(self):
        self.prepare(search="search: {budget: {trials: 3}}")
        self.bisectd("run", "experiment.yaml", code=3)
        as_is = next(r["trial"] for r in self.journal() if r["kind"] == "trial" and r["role"] == "as-is")
        for log in (self.run_folder() / "trials").glob(f"{as_is:04}/**/std*.log"):
            log.write_text(re.sub(r"loss: [0-9.]+", "loss: ???", log.read_text(), count=1))
        done = self.bisectd("resume", self.run_folder(), code=4)
        self.assertIn("the subject as it is left no curve that can be read", done.out)
        self.assertEqual(self.journal()[-1]["failed_trial"], as_is)
        self.bisectd("resume", self.run_folder(), code=3)
        self.assertEqual(self.report()["outcome"], "inconclusive")

    def test_a_reference_that_cannot_be_used_any_more_is_the_trial_that_is_run_again(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1)
        reference = next(r["trial"] for r in self.journal() if r["kind"] == "trial" and r["role"] == "reference")
        for log in (self.run_folder() / "trials").glob(f"{reference:04}/**/std*.log"):
            log.write_text(re.sub(r"loss: [0-9.]+", "loss: nan", log.read_text()))
        self.bisectd("resume", self.run_folder(), code=4)
        self.assertEqual(self.journal()[-1]["failed_trial"], reference)
        self.bisectd("resume", self.run_folder(), code=1)
        self.assert_right()

    def test_reports_of_an_interrupted_run_show_no_trial_as_running(self):
        self.prepare("--step-ms", "5")
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: (self.run_folder() / "journal.jsonl").exists() and
                      sum(r["kind"] == "judged" for r in self.journal()) >= 4)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 128 + signal.SIGINT)
        self.assertEqual([t["number"] for t in self.report()["trial_list"] if t["running"]], [])
        judged = {r["trial"] for r in self.journal() if r["kind"] == "judged"}
        self.assertEqual({t["number"] for t in self.report()["trial_list"]}, judged)

    def test_a_damaged_journal_is_refused_with_its_line(self):
        self.prepare()
        self.bisectd("run", "experiment.yaml", code=1)
        path = self.run_folder() / "journal.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        lines[4] = lines[4].replace(b'"', b"'", 1)
        path.write_bytes(b"".join(lines))
        refused = self.bisectd("resume", self.run_folder(), code=4)
        self.assertIn("journal.jsonl:5: ", refused.err)

    def test_a_folder_that_is_no_run(self):
        self.assertIn("no such folder", self.bisectd("resume", "absent", code=2).err)
        self.assertIn("not a run directory", self.bisectd("resume", ".", code=2).err)

    def test_other_versions_of_the_software_are_not_mixed(self):
        self.write("version.txt", "toolkit\nversion=8.2\n")
        versions = "versions: {toolkit: {file: version.txt, pattern: '^version=(?P<value>.+)'}, absent: {package: no-such-package}}"
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", extra=versions))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.report()["versions"], {"toolkit": "8.2"})
        self.write("version.txt", "version=8.3\n")
        done = self.bisectd("resume", self.run_folder(), code=2)
        self.assertIn("toolkit: 8.2, now 8.3", done.err)
        self.bisectd("resume", self.run_folder(), "--accept-changes", code=1)
        self.assertEqual(self.report()["versions"], {"toolkit": "8.3"})


if __name__ == "__main__":
    unittest.main()
