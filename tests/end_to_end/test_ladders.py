"""Ladders: values of one knob, in the search and by hand."""
import json
import unittest

from space import Space, hostile_experiment


class Ladder(Space):
    def experiment(self, *options, suspects="{scale: all}", more=""):
        text = hostile_experiment(*options, suspects=4)
        text = text.replace("  devices: {kind: npu", '  devices: {kind: npu', 1)
        command_end = text.index("]", text.index("subject:"))
        text = text[:command_end] + ', "{arguments}"' + text[command_end:]
        text = text.replace("families:\n", 'families:\n  scale: {kind: ladder, deliver: {argument: "scale={value}"}, '
                            'values: [1, 16, 64, 256, 1024, 4096, 65536], suspect: 65536}\n')
        start = text.index("suspects:")
        return text[:start] + f"suspects: {suspects}\n{more}"

    def test_the_middle_of_the_window_mends_it(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        done = self.bisectd("run", "experiment.yaml", code=1)
        report = self.report()
        self.assertEqual(self.culprits(report), ["scale:scale"])
        self.assertEqual(report["workaround"]["arguments"], ["scale=256"])
        ladder, = report["ladders"]
        self.assertEqual(ladder["window"], {"from": "16", "to": "4096", "recommended": "256"})
        self.assertTrue(ladder["alone"])
        self.assertEqual([one["value"] for one in ladder["values"]], ["1", "16", "64", "256", "1024", "4096", "65536"])
        self.assertEqual([one["verdict"] for one in ladder["values"]], ["fail"] + 5 * ["pass"] + ["fail"])
        self.assertGreater(ladder["values"][0]["delta"], 0.01)
        self.assertIn("scale passes by itself from 16 to 4096; 256 is the middle of that window.", done.out)
        self.assertRegex(done.err, r"ladder scale=256: scale:scale neutralised -> pass")
        self.assertRegex(done.out, r"\n +256  pass +-?[\de.-]+ %  trial \d+  recommended\n")
        again = json.loads(self.bisectd("report", self.run_folder(), "-f", "json", code=0).out)
        self.assertEqual(again["ladders"], report["ladders"])

    def test_the_plan_counts_the_trials_of_values(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        self.assertIn("Before the search: 7 trials for scale, one for each value alone", self.bisectd("plan", "experiment.yaml", code=0).out)

    def test_a_scale_and_an_operator_that_are_both_wrong(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", "--cause", "op1=3",
                                                      suspects="{scale: all, ops: [op0, op1, op2]}"))
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.causes(self.report()), [["op1"], ["scale"]])

    def test_trials_of_single_values_are_no_evidence(self):
        # Each neutralised the ladder, and all but one failed all the same.
        self.write("experiment.yaml", self.experiment("--window", "scale=256..256=4"))
        self.bisectd("run", "experiment.yaml", code=1)
        told = self.bisectd("explain", self.run_folder(), code=0).out
        self.assertIn("culprits found and proved", told)
        self.assertIn("cause: scale:scale alone", told)

    def test_no_value_is_right(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=17..18=4", suspects="{scale: [16, 64, 256]}"))
        self.bisectd("run", "experiment.yaml", code=3)
        self.assertEqual(self.report()["outcome"], "outside_suspects")

    def test_only_values_that_may_be_tried_are(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", suspects="{scale: [1]}"))
        self.bisectd("run", "experiment.yaml", code=3)
        self.assertEqual(self.report()["outcome"], "outside_suspects")
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", suspects="{scale: {exclude: [256, 1024]}}"))
        self.bisectd("run", "experiment.yaml", "--new", code=1)
        self.assertNotIn("256", [one["value"] for one in self.report()["ladders"][0]["values"]])
        self.assertEqual(self.report()["workaround"]["arguments"], ["scale=64"])
        self.write("experiment.yaml", self.experiment(suspects="{scale: {exclude: [1, 16, 64, 256, 1024, 4096, 65536]}}"))
        self.assertIn("leaves no value", self.bisectd("run", "experiment.yaml", code=2).err)

    def test_a_value_tried_by_hand(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        self.assertIn("\n  scale was 64\n", self.bisectd("trial", "experiment.yaml", "--off", "scale:64", code=0).out)
        self.bisectd("trial", "experiment.yaml", "--off", "scale:1", code=1)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "scale:4096", "--json", code=0).out)
        self.assertEqual(judged["values"], {"scale": "4096"})
        self.assertIn("scale=4096", (self.folder / judged["attempts"][0] / "command.sh").read_text())
        self.assertNotIn("scale was", self.bisectd("trial", "experiment.yaml", code=1).out)
        self.assertIn("scale is a ladder: name a value, scale:1 or", self.bisectd("trial", "experiment.yaml", "--off", "scale:scale", code=2).err)

    def test_two_values_by_hand(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4"))
        said = self.bisectd("trial", "experiment.yaml", "--off", "scale:1,scale:64", code=2).err
        self.assertIn("scale is one knob: it cannot be 1 and 64 at once; try one value after the other", said)
        self.assertFalse((self.folder / "bisectd-out").exists())
        self.bisectd("trial", "experiment.yaml", "--off", "scale:64,scale:64", code=0)

    def test_killed_and_resumed(self):
        self.write("experiment.yaml", self.experiment("--window", "scale=16..4096=4", "--step-ms", "3"))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and sum(r["kind"] == "judged" for r in self.journal()) >= 4, 60)
        process.kill()
        process.wait()
        self.bisectd("resume", self.run_folder(), code=1)
        self.assertEqual(self.report()["workaround"]["arguments"], ["scale=256"])
        ended = [(r["trial"], r["attempt"]) for r in self.journal() if r["kind"] == "attempt-ended"]
        self.assertEqual(len(ended), len(set(ended)))


if __name__ == "__main__":
    unittest.main()
