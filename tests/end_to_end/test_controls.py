"""What an answer rests on is run once more at the end: worlds that change during the night accuse nobody."""
import json
import pathlib
import sys
import unittest

from space import SOURCE, Space

sys.path.insert(0, str(SOURCE / "tests/bench"))
import changing_worlds

GUILTY = ["op2", 3]
OTHER = ["op4", -2]


class Controls(Space):
    def play(self, causes=(GUILTY,), code=1, goal="curve", devices=1, options=("--new",), search="", **world):
        """`changes_at`: how many runs of the subject there are before `late` and `late_everywhere` are all that is wrong."""
        self.world = {"suspects": [f"op{i}" for i in range(6)], "causes": list(causes), "late": [], "late_everywhere": 0, "goal": goal,
                      "devices": devices, "seed": 1} | world
        self.write("world.json", json.dumps(self.world))
        self.write("train.py", changing_worlds.TRAIN)
        self.write("count", "")
        text = changing_worlds.experiment(self.world, 2)  # by verdicts alone
        self.write("experiment.yaml", text.replace("budget: {trials: 150}", search) if search else text)
        (self.folder / "bisectd-out/history.jsonl").unlink(missing_ok=True)
        done = self.bisectd("run", "experiment.yaml", "--history", "none.jsonl", *options, code=code) if False else \
            self.bisectd("run", "experiment.yaml", *options, code=code)
        return self.report(), done

    def trials(self, report, role="control"):
        names = [suspect["name"] for suspect in report["suspects"]]
        return [([names[i] for i in trial["neutralised"]], trial["verdict"]) for trial in report["trial_list"] if trial["role"] == role]

    def runs_before_the_controls(self):
        first = next(record["trial"] for record in self.journal() if record.get("role") == "control")
        return sum(record["kind"] == "attempt-started" and 1 < record["trial"] < first for record in self.journal())

    def test_the_fix_passes_once_more_and_fails_without_its_member(self):
        report, done = self.play()
        self.assertEqual(self.trials(report), [(["op2"], "pass"), ([], "fail")])
        self.assertIn("Once more at the end of the run: ops:op2 neutralised: pass", done.out)
        self.assertIn("control: what the answer rests on, once more at the end of the run", done.err)
        self.assertTrue(all(claim["trial"] < len(report["trial_list"]) - 1 for claim in report["certificate"]))

    def test_each_member_of_a_fix_is_left_out_once(self):
        report, _ = self.play(causes=(GUILTY, OTHER))
        self.assertEqual(self.trials(report), [(["op2", "op4"], "pass"), (["op4"], "fail"), (["op2"], "fail")])


if __name__ == "__main__":
    unittest.main()
