"""`accept: {goal: runs}`: what breaks a training is searched, without a reference."""
import json
import sys
import unittest

from space import Space

# op3 kills it at step 5, unless it is off; op5 and op6 together make it NaN at step 8. STUCK: an operator that hangs it.
TRAIN = """\
import os, sys, time
off = set(filter(None, os.environ.get("OFF", "").split(",")))
kills, nan, stuck = (set(filter(None, os.environ.get(name, "").split(","))) for name in ("KILLS", "NAN", "STUCK"))
if os.environ.get("REFUSES") in off:
    print("cannot move " + os.environ["REFUSES"]); sys.exit(1)
for step in range(1, 31):
    print("step", step, "loss", "nan" if nan and not nan & off and step >= 8 else 2 / step, flush=True)
    for name in sorted(kills - off):
        if step == 5 + len(name):
            print("ran op1", flush=True)
            os.abort() if name == "op3" else sys.exit("no kernel for " + name)
    if stuck - off and step == 9: time.sleep(60)
"""


class Running(Space):
    def setUp(self):
        super().setUp()
        self.write("train.py", TRAIN)

    def experiment(self, environment, accept="{goal: runs}", suspects="[op0, op1, op2, op3, op4, op5, op6, op7]", family="", reference="",
                   steps="steps: 30", metric="{loss: {pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}"):
        self.write("experiment.yaml", f"""\
            version: 1
            name: running
            {reference}
            subject:
              command: [{sys.executable}, train.py]
              environment: {{{environment}}}
              devices: {{kind: npu, ids: [0, 1], visible_variable: none}}
              stall: 1s
            {steps}
            metric: {metric}
            accept: {accept}
            families: {{ops: {{kind: list, deliver: {{environment: OFF, separator: ","}}, refused: 'cannot move (?P<name>\\w+)'{family}}}}}
            suspects: {{ops: {suspects}}}
            """)

    def find(self, environment, code=1, more=(), **settings):
        self.experiment(environment, **settings)
        done = self.bisectd("run", "experiment.yaml", *more, code=code)
        return self.report(), done

    def test_an_operator_that_kills_the_training(self):
        report, done = self.find("KILLS: op3")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertEqual(report["goal"], "runs")
        self.assertIn("ops:op3 breaks the subject: as it is it broke (killed by SIGABRT after step 8), "
                      "with it neutralised it runs to step 30.", done.out)
        self.assertEqual([one["value"] for one in report["workaround"]["environment"]], ["op3"])
        self.assertEqual({record.get("role") for record in self.journal()} & {"reference"}, set())
        again = self.bisectd("report", "bisectd-out/latest", code=0)
        self.assertIn("ops:op3 breaks the subject", again.out)

    def test_the_next_fault_behind_the_first_and_one_that_prints_nan(self):
        report, _ = self.find("KILLS: 'op3,op44', NAN: 'op5,op6'", suspects="[op1, op2, op3, op44, op5, op6, op7]")
        self.assertEqual(self.causes(report), [["op3"], ["op44"], ["op5", "op6"]])

    def test_one_that_hangs(self):
        report, done = self.find("STUCK: op2")
        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertIn("no output for 1 s after step 9", done.out)

    def test_a_member_that_cannot_be_neutralised_is_not_accused(self):
        report, _ = self.find("KILLS: op3, REFUSES: op4")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertEqual([one["name"] for one in report["not_neutralisable"]], ["op4"])

    def test_none_of_the_suspects(self):
        report, done = self.find("KILLS: op9", code=3)
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertIn("with all of them neutralised it still broke (exited 1 after step 8)", done.out)
        self.assertIn("Even with every suspect neutralised the subject breaks", report["advice"])

    def test_one_that_crashes_is_not_taken_for_one_that_takes_too_long(self):
        self.write("train.py", TRAIN.replace("for step in", "if 'op1' in off: time.sleep(60)\nfor step in"))
        self.experiment("KILLS: op3", suspects="[op1, op3]")
        text = (self.folder / "experiment.yaml").read_text().replace("stall: 1s", "timeout: 1s")
        self.write("experiment.yaml", text)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])
        self.assertEqual([one["name"] for one in self.report()["not_neutralisable"]], ["op1"])

    def test_one_that_runs(self):
        report, done = self.find("X: y", code=0)
        self.assertIn("Nothing to find: the subject as it is runs to step 30, in each of 5 runs.", done.out)
        self.assertIn("compared it with nothing", self.bisectd("accept", "bisectd-out/latest", code=2).err)

    def test_one_that_breaks_most_of_the_time_is_not_searched(self):
        """Its fifth run comes to its end, and so would trials with the culprit active."""
        self.write("train.py", """\
            import os, sys
            with open("runs", "a") as runs:
                runs.write("x")
                number = runs.tell()
            for step in range(1, 31):
                print("step", step, "loss", 2 / step, flush=True)
                if step == 8 and number != 5 and "op3" not in os.environ.get("OFF", ""): os.abort()
            """)
        report, done = self.find("X: y", code=3)
        self.assertIn("The subject as it is broke in 2 of 3 trials and came to its end in the others", done.out)
        self.assertEqual({trial["role"] for trial in report["trial_list"]}, {"as-is"})

    def test_one_that_leaves_before_its_last_step(self):
        _, done = self.find("X: y", code=3, steps="steps: 200")
        self.assertIn("left with 0 after step 30 of 200", done.out)
        self.assertIn("warning  subject: so it does not run, which a search is to explain: it left with 0 after step 30 of 200",
                      self.bisectd("check", "--run", "experiment.yaml", code=0).out)

    def find_sparse(self, code, metric, **settings):
        """Every 20 of 50 steps a loss, after each epoch of 10 steps a score; LEAVES at a step, with 0."""
        self.experiment(metric=metric, steps="steps: 50", **settings)
        self.write("train.py", """\
            import os, sys
            for step in range(1, 51):
                if step == int(os.environ.get("LEAVES", 0)) and "op2" not in os.environ.get("OFF", ""): sys.exit(0)
                if step % 20 == 0: print("step", step, "loss", 2 / step)
                if step % 10 == 0: print("epoch", step // 10, "acc", step / 50, flush=True)
            """)
        done = self.bisectd("run", "experiment.yaml", "--new", code=code)
        return self.report(), done

    SPARSE = "{loss: {pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}"
    WITH_EPOCHS = SPARSE[:-1] + ", acc: {pattern: 'epoch (?P<step>\\d+) acc (?P<value>\\S+)'}}"

    def test_one_that_logs_rarely_or_by_epochs_runs(self):
        for metric in (self.SPARSE, self.WITH_EPOCHS):
            with self.subTest(metric):
                self.assertIn("as it is runs to step 50", self.find_sparse(0, metric, environment="X: y")[1].out)

    def test_one_that_logs_rarely_and_leaves_early(self):
        report, done = self.find_sparse(1, self.WITH_EPOCHS, environment="LEAVES: 35")
        self.assertEqual(self.culprits(report), ["ops:op2"])
        self.assertIn("left with 0 after step 20 of 50", done.err + done.out)

    # Each operator of ALL says when it begins and when it ran, so that one that kills the training only began.
    STEPWISE = """\
import os, sys
named = lambda variable: [name for name in os.environ.get(variable, "").split(",") if name]
off, kills = named("OFF"), named("KILLS")
if os.environ.get("REFUSES") in off: sys.exit("cannot move " + os.environ["REFUSES"])
for step in range(1, 31):
    for name in ["op1", "op2", "op3", "op4", "op5", "op6"]:
        print("begins", name, flush=True)
        if name in kills and name not in off: os.abort()
        print("on the CPU" if name in off else "ran", name)
    print("step", step, "loss", 2 / step, flush=True)
"""
    DISCOVER = (", discover: {ran: '^ran (?P<name>\\w+)', begun: '^begins (?P<name>\\w+)', elsewhere: '^on the CPU (?P<name>\\w+)'}")

    def find_stepwise(self, environment, code=1, more=(), steps="steps: 30"):
        self.experiment(environment, suspects="{discover: true}", family=self.DISCOVER, steps=steps)
        self.write("train.py", self.STEPWISE)
        done = self.bisectd("run", "experiment.yaml", *more, code=code)
        return self.report(), done

    def names(self, report):
        return [one["name"] for one in report["suspects"]]

    def discoveries(self):
        return [record for record in self.journal() if record.get("role") == "discovery"]

    def test_what_kills_it_is_discovered_though_it_never_ran_to_its_end(self):
        report, _ = self.find_stepwise("KILLS: op3")
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertEqual(self.names(report), ["op1", "op2", "op3", "op4", "op5", "op6"])
        self.assertEqual([one["reason"] for one in self.discoveries()],
                         ["which members a run uses", "which members a run uses once ops:op1, ops:op2, ops:op3 are neutralised"])
        self.assertEqual(report["warnings"], [])

    def test_the_next_fault_behind_the_first_is_discovered_too(self):
        report, _ = self.find_stepwise("KILLS: 'op2,op4,op6'")
        self.assertEqual(self.causes(report), [["op2"], ["op4"], ["op6"]])
        self.assertEqual(len(self.discoveries()), 4)

    def test_further_discoveries_are_trials_of_the_budget(self):
        for budget, discoveries in (("trials: 2", 3), ("hours: 0.0000001", 1)):
            with self.subTest(budget):
                report, done = self.find_stepwise("KILLS: 'op1,op2,op3,op4'", code=3, more=["--new"],
                                                  steps=f"steps: 30\n            search: {{budget: {{{budget}}}}}")
                self.assertEqual(len(self.discoveries()), discoveries)
                self.assertIn("the budget was spent before a discovery run came to its end", report["warnings"])
                self.assertEqual([trial["role"] for trial in report["trial_list"] if trial["role"] not in ("as-is", "discovery")], [])
                self.assertIn("The budget was spent before the search was done", done.out)

    def test_what_cannot_be_neutralised_is_left_active_in_further_discoveries(self):
        report, _ = self.find_stepwise("KILLS: 'op2,op5', REFUSES: op1")
        self.assertEqual(self.culprits(report), ["ops:op2", "ops:op5"])
        self.assertEqual([one["name"] for one in report["no_effect"]], ["op1"])

    def test_discoveries_are_not_repeated_by_a_resumed_run(self):
        self.find_stepwise("KILLS: 'op2,op4'")
        whole = self.report()
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        for last in range(next(i for i, line in enumerate(lines) if "once ops:" in line), len(lines), 15):
            with self.subTest(last):
                journal.write_text("".join(lines[:last]))
                self.bisectd("resume", "bisectd-out/latest", code=1)
                self.assertEqual(self.culprits(self.report()), self.culprits(whole))
                self.assertEqual(len(self.discoveries()), 3)

    def test_where_no_discovery_helps_that_is_said(self):
        self.experiment("KILLS: op3", suspects="{discover: true}", family=", discover: {ran: '^ran (?P<name>\\w+)'}")
        self.bisectd("run", "experiment.yaml", code=3)
        report = self.report()
        self.assertEqual(self.names(report), ["op1"])
        self.assertIn("every discovery run broke: what none of them came to is no suspect", report["warnings"])

    def test_a_crash_offers_it(self):
        reference = f"reference: {{command: [{sys.executable}, train.py], repeats: 2}}"
        done = self.find("KILLS: op3", code=4, accept="{target: 0.5%}", reference=reference)[1]
        self.assertIn("To search for what breaks it, write `accept: {goal: runs}` and `steps: 30`, and run with --new", done.out)
        report, done = self.find("KILLS: op3", reference=reference, more=["--new"])
        self.assertEqual(self.culprits(report), ["ops:op3"])
        self.assertNotIn("reference", {record.get("role") for record in self.journal()})

    def test_a_pattern_that_fits_no_line_is_no_evidence(self):
        metric = "{loss: {pattern: 'stepp (?P<step>\\d+) loss (?P<value>\\S+)'}}"
        for environment, trial in (("KILLS: op3", 4), ("KILLS: op33", 4), ("X: y", 1)):
            with self.subTest(environment):
                report, done = self.find(environment, code=4, metric=metric, more=["--new"],
                                         suspects="[op0, op1, op2, op3, op33]")
                self.assertEqual(report["outcome"], "infrastructure")
                self.assertRegex(done.out, rf"trial {trial} left with 0, but no line of its log is a value of loss, nor is one of any "
                                           r"run before: \S*experiment.yaml:\d+: the pattern must fit what the subject logs")
                self.assertNotIn("op3", done.out)

    def test_a_run_that_logs_nothing_beside_others_that_do_says_nothing(self):
        self.write("train.py", TRAIN.replace("for step in", "if 'op5' in off: sys.exit(0)\nfor step in"))
        report, done = self.find("KILLS: op3")
        self.assertEqual(self.culprits(report), ["ops:op3"])

    def test_a_training_that_does_not_start(self):
        self.write("train.py", "import sys; sys.exit('no such module')")
        report, done = self.find("X: y", code=3)
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertIn("does not come to a first step either way, so look whether it starts at all: sh ", report["advice"])

    def test_no_report_shows_a_target(self):
        self.find("KILLS: op3")
        for name in ("report.md", "report.html"):
            text = (self.run_folder() / name).read_text()
            self.assertNotRegex(text, r"(?i)target\W{1,20}0\.5 %", name)
        self.assertIn("| subject as it is | `killed by SIGABRT after step 8` | fail | 3 |", (self.run_folder() / "report.md").read_text())
        self.assertNotIn("0.5 %", self.bisectd("check", "experiment.yaml", code=0).out)

    def test_the_other_commands(self):
        self.experiment("KILLS: op3")
        self.assertIn("no reference is run", self.bisectd("plan", "experiment.yaml", code=0).out)
        checked = self.bisectd("check", "experiment.yaml", "--run", code=0).out
        self.assertIn("goal: a trial passes if it runs to step 30", checked)
        self.assertIn("it breaks, which a search is to explain: killed by SIGABRT", checked)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "op3", "--json", code=0).out)
        self.assertEqual(judged["verdict"], "pass")
        self.bisectd("trial", "experiment.yaml", "--off", "op4", code=1)

    def test_resumed(self):
        self.experiment("KILLS: 'op3,op44'", suspects="[op1, op2, op3, op44, op5]")
        self.bisectd("run", "experiment.yaml", code=1)
        journal = self.run_folder() / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(lines[:len(lines) // 2]))
        self.bisectd("resume", "bisectd-out/latest", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3", "ops:op44"])

    def test_wrong_words(self):
        for accept, steps, problem in (("{goal: run}", "steps: 30", "unknown goal `run`"), ("{goal: [runs]}", "steps: 30", "expected a text"),
                                       ("{goal: runs}", "", "`accept.goal: runs` needs `steps`"),
                                       ("{target: 1%}", "steps: 30", "`reference` is missing")):
            with self.subTest(problem):
                self.experiment("X: y", accept=accept, steps=steps)
                said = self.bisectd("check", "experiment.yaml", code=2).err
                self.assertIn(problem, said)
        self.assertIn("did you mean `runs`?", (self.experiment("X: y", accept="{goal: run}"),
                                               self.bisectd("check", "experiment.yaml", code=2).err)[1])


if __name__ == "__main__":
    unittest.main()
