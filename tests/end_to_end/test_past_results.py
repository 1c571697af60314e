"""What past runs found out, and a history of them that is damaged."""
import unittest

from space import Space, hostile_experiment


class Past(Space):
    def test_who_was_guilty_is_looked_at_first(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op13=3", suspects=24))
        first = self.bisectd("run", "experiment.yaml", code=1)
        second = self.bisectd("run", "experiment.yaml", code=1)
        self.assertNotIn("guilty in past runs", first.err)
        self.assertIn("guilty in past runs, so looked at first: ops:op13\n", second.err)

    def test_a_damaged_history_costs_no_night(self):
        self.write("experiment.yaml", hostile_experiment("--cause", "op1=3", suspects=2))
        self.write("bisectd-out/history.jsonl", "not a history\n")
        done = self.bisectd("run", "experiment.yaml", code=1)
        self.assertIn("history.jsonl:1: ", done.err)
        self.assertIn("history.jsonl:1: ", self.bisectd("history", code=4).err)
        self.assertIn("no history", self.bisectd("history", "absent", code=2).err)
        self.write("suite.yaml", "version: 1\nname: nightly\nexperiments: [experiment.yaml]\n")
        done = self.bisectd("ci", "suite.yaml", "--changed-only", code=1)
        self.assertIn("warning: bisectd-out/history.jsonl:1: ", done.err)
        self.assertIn("1 model: 0 green, 1 regressed", done.out)


if __name__ == "__main__":
    unittest.main()
