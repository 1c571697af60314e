"""What of a workaround in use is still needed, and the speed that the rest of it costs."""
import unittest

from space import Space, hostile_experiment

# op5 off is slow; the workaround has it beside op3.
TRAINER = ("--step-ms", "18", "--slow", "op5=36")
IN_USE = {"subject": "environment: {HOSTILE_OFF: 'op3,op5'}"}


class Prune(Space):
    def prune(self, *trainer, code, **experiment):
        self.write("experiment.yaml", hostile_experiment(*trainer, suspects=6, devices="[0, 1]", **{**IN_USE, **experiment}))
        return self.bisectd("prune", "experiment.yaml", code=code).out

    def names(self, key):
        return [name["name"] for name in self.report()["pruned"][key]]

    def assert_told_everywhere(self, said, *lines):
        told = {name: (self.run_folder() / f"report.{name}").read_text() for name in ("md", "html")}
        told |= {"run": said, "status": self.bisectd("status", self.run_folder(), code=0).out}
        for where, text in told.items():
            for line in lines:
                self.assertIn(line, text.replace("`", ""), where)
        pruned = self.report()["pruned"]
        self.assertEqual(self.bisectd("report", self.run_folder(), code=0).out, said)
        self.assertEqual(self.report()["pruned"], pruned)

    def test_what_is_needed_stays_and_the_rest_wins_back_its_time(self):
        said = self.prune("--cause", "op3=3", *TRAINER, code=1)
        self.assert_told_everywhere(said, "Still needed: ops:op3", "No longer needed: ops:op5")
        self.assertEqual((self.names("needed"), self.names("no_longer_needed")), (["op3"], ["op5"]))
        time_s = self.report()["pruned"]["step_time_s"]
        self.assertLess(time_s["needed"], 0.75 * time_s["in_use"])
        self.assertRegex(said, r"Step time 0\.0\d+ s with the workaround in use, 0\.0\d+ s with what is needed of it \(-\d+ %\)\.")
        self.assertNotIn(" s as it is", said)  # here that is without the workaround, which nobody uses

    def test_when_nothing_is_needed_the_whole_time_is_won_back(self):
        said = self.prune(*TRAINER, code=0)
        self.assert_told_everywhere(said, "Still needed: none", "No longer needed: ops:op3, ops:op5")
        time_s = self.report()["pruned"]["step_time_s"]
        self.assertLess(time_s["needed"], 0.75 * time_s["in_use"])
        self.assertEqual([trial["role"] for trial in self.report()["trial_list"]], ["reference", "as-is", "other-fix"])
        self.bisectd("resume", self.run_folder(), code=0)
        self.assertEqual(self.report()["pruned"]["step_time_s"], time_s)

    def test_when_all_is_needed_nothing_is_won(self):
        said = self.prune("--cause", "op3=3", "--cause", "op5=2", *TRAINER, code=1)
        self.assertIn("Still needed: ops:op3, ops:op5\n  No longer needed: none\n", said)
        self.assertNotIn("Step time", said)

    def test_without_an_answer_the_workaround_is_kept(self):
        said = self.prune("--cause", "op0=3", code=3)
        self.assertIn("Nothing is known of what the workaround is needed for; keep it.", said)
        self.assertEqual((self.report()["pruned"]["answered"], self.names("needed")), (False, []))

    def test_what_is_excluded_stays_neutralised_in_every_run(self):
        text = hostile_experiment("--cause", "op3=3", "--cause", "op4=2", suspects=6, subject="environment: {HOSTILE_OFF: 'op3,op4,op5'}")
        self.write("experiment.yaml", text.replace("[op0, op1, op2, op3, op4, op5]", "{members: [op0, op1, op3], exclude: [op4]}"))
        said = self.bisectd("prune", "experiment.yaml", code=1)
        self.assertEqual((self.names("needed"), self.names("no_longer_needed")), (["op3"], ["op5"]), said.out)
        self.assertRegex(said.out, r"HOSTILE_OFF='op4,op3'")
        self.assertIn("ops:op4 stays neutralised, as `exclude` says: whether it is needed is not tried", said.err)
        self.assert_told_everywhere(said.out, "Stays in use, not tried: ops:op4 (exclude names it)")
        self.assertEqual(self.report()["pruned"]["kept"], [{"family": "ops", "name": "op4", "needed_by": None}])
        for variables in (self.run_folder() / "trials").glob("*/*/environment.txt"):
            if "HOSTILE_OFF" in variables.read_text():
                self.assertRegex(variables.read_text(), "HOSTILE_OFF=.*op4")

    def test_nothing_but_what_is_excluded(self):
        text = hostile_experiment("--cause", "op3=3", suspects=2, subject="environment: {HOSTILE_OFF: 'op3,op4'}")
        self.write("experiment.yaml", text.replace("[op0, op1]", "{members: [op0, op1], exclude: [op3, op4]}"))
        said = self.bisectd("prune", "experiment.yaml", code=2)
        self.assertIn("there is nothing to prune: `exclude` names all that is in use", said.err)

    def test_a_workaround_whose_speed_cannot_be_seen_is_tried_once(self):
        at_once = """["sh", "-c", "case ,$HOSTILE_OFF, in *,op3,op5,*) \\"$@\\" > all && cat all;; *) exec \\"$@\\";; esac", "sh", """
        text = hostile_experiment("--cause", "op3=3", *TRAINER, suspects=6, devices="[0]", **IN_USE)
        before, after = text.split("subject:\n", 1)
        self.write("experiment.yaml", before + "subject:\n" + after.replace("[", at_once, 1))
        self.bisectd("prune", "experiment.yaml", code=1)
        self.assertIsNone(self.report()["pruned"]["step_time_s"]["in_use"])
        trials = [(trial["number"], trial["role"]) for trial in self.report()["trial_list"]]
        self.assertEqual(trials[-1][1], "other-fix")
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual([(trial["number"], trial["role"]) for trial in self.report()["trial_list"]], trials)

    def test_a_search_prunes_nothing(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", suspects=4))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertIsNone(self.report()["pruned"])

    def test_switches_at_their_safe_value_whose_other_value_is_declared(self):
        """As `run` writes a workaround of toggles of one's own, of which nobody says what they mean unset."""
        toggles = ", ".join(f"f{name}: {{environment: F{name.upper()}, suspect: '1', safe: '0'}}" for name in "abc")
        text = hostile_experiment("--cause", "FA:1=3", suspects=1, subject="environment: {FA: '0', FB: '0'}")
        families = f"families: {{flags: {{kind: toggle, toggles: {{{toggles}}}}}}}\nsuspects: {{flags: all}}\n"
        self.write("experiment.yaml", text[:text.index("families:")] + families)
        said = self.bisectd("prune", "experiment.yaml", code=1).out
        self.assertEqual((self.names("needed"), self.names("no_longer_needed")), (["fa"], ["fb"]), said)

    def test_a_workaround_that_holds_all_switches(self):
        toggles = ", ".join(f"f{name}: {{environment: F{name.upper()}, suspect: '1', safe: '0'}}" for name in "ab")
        text = hostile_experiment("--cause", "FA:1=3", suspects=1, subject="environment: {FA: '0', FB: '0'}")
        families = f"families: {{flags: {{kind: toggle, toggles: {{{toggles}}}}}}}\nsuspects: {{flags: all}}\n"
        self.write("experiment.yaml", text[:text.index("families:")] + families)
        self.assertIn("nothing to search", self.bisectd("run", "experiment.yaml", code=2).err)
        said = self.bisectd("prune", "experiment.yaml", code=1).out
        self.assertEqual((self.names("needed"), self.names("no_longer_needed")), (["fa"], ["fb"]), said)
        for again in ("report", "resume"):
            self.assertIn("fa", self.bisectd(again, self.run_folder(), code=0 if again == "report" else 1).out)

    def test_nothing_but_what_is_excluded_and_what_that_needs(self):
        families = ("families: {ops: {kind: list, deliver: {environment: HOSTILE_OFF, separator: ','}, environment: {FA: '0'}}, "
                    "flags: {kind: toggle, toggles: {fa: {environment: FA, suspect: '1', safe: '0'}}}}\n"
                    "suspects: {ops: {members: [op0], exclude: [op3]}, flags: all}\n")
        text = hostile_experiment(suspects=1, subject="environment: {HOSTILE_OFF: op3, FA: '0'}")
        self.write("experiment.yaml", text[:text.index("families:")] + families)
        said = self.bisectd("prune", "experiment.yaml", code=2)
        self.assertIn("there is nothing to prune: `exclude` names, or a family needs in every run, all that is in use", said.err)

    def test_nothing_to_prune(self):
        self.write("experiment.yaml", hostile_experiment(suspects=2))
        self.assertIn("nothing to prune", self.bisectd("prune", "experiment.yaml", code=2).err)


if __name__ == "__main__":
    unittest.main()
