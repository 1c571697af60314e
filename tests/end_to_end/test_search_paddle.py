"""The main job on the real PaddlePaddle: operators, layers and flags, found."""
import json

from paddle_space import PaddleSpace, main


class Search(PaddleSpace):
    def test_a_forward_a_backward_and_an_optimizer_operator(self):
        """Three independent faults in one search; that of one alone is tested in test_examples_paddle.py. The forward of what is wrong
        backward stays innocent."""
        report, _ = self.find({"faults": [{"op": "hard_swish", "relative": 0.1}, {"op": "batch_norm_grad", "relative": 0.3},
                                          {"op": "adam", "relative": 0.1}]})
        self.assertEqual(self.causes(report), [["adam"], ["batch_norm_grad"], ["hard_swish"]])

    def test_the_optimizer_kills_it_and_the_operator_behind_it_too(self):
        """As `adam` did in PaddleOCR: Paddle prints an operator when it has run, which this one never does."""
        faults = [{"op": "adam", "crash_at_call": 1}, {"op": "hard_swish_grad", "crash_at_call": 12}]
        report, done = self.find({"faults": faults}, extra="accept: {goal: runs}\n            steps: 20")
        self.assertEqual(self.causes(report), [["adam"], ["hard_swish_grad"]])
        discoveries = [trial for trial in report["trial_list"] if trial["role"] == "discovery"]
        self.assertEqual(len(discoveries), 2, "the second one comes to its end")
        self.assertIn("it broke (killed by SIGABRT before the first step: standin-npu: adam crashes at call 1, as planted)", done.out)

    def test_only_the_operators_that_a_layer_uses_are_listed(self):
        self.experiment({"faults": []}, extra="families: {ops: {discover: {environment: {BISECTD_PADDLE_LIST_OPS_OF: depthwise}}}}")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        names = {one["name"] for one in found["ops"]}
        self.assertLessEqual({"pad3d", "pad3d_grad"}, names)
        self.assertLess(len(names), 15)

    def test_a_layer_and_then_its_backward_operator_in_one_run(self):
        self.descend({"op": "pad3d_grad", "relative": 0.6}, "depthwise", "pad3d_grad")

    def test_a_flag(self):
        faults = [{"op": op, "relative": 0.1, "when": {"flag": "FLAGS_npu_storage_format", "is": True}}
                  for op in ("conv2d", "hard_swish", "batch_norm")]
        report, _ = self.find({"faults": faults}, environment='FLAGS_npu_storage_format: "1"', suspects="flags: all")
        self.assertEqual(self.names(report), ["FLAGS_npu_storage_format"])

    def test_nothing_wrong(self):
        report, _ = self.find({"faults": []}, code=0)
        self.assertEqual(report["outcome"], "aligned")

    def test_static_graphs_ask_paddle_which_operators_can_fall_back(self):
        self.experiment({"faults": []})
        text = (self.folder / "experiment.yaml").read_text().replace("extends: paddle-npu", "extends: paddle-npu-static")
        self.write("experiment.yaml", text)
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        names = [one["name"] for one in found["ops"]]
        self.assertGreater(len(names), 100)
        self.assertIn("add_grad", names)  # as static graphs compare it
        self.assertNotIn("elementwise_add_grad", names)
        self.assertNotIn("memcpy_d2h", names)


if __name__ == "__main__":
    main()
