"""What an engineer asks beside the culprit, on real Paddle: are both sides given the same, what has the device no kernel for, does the
fix hold for longer than a trial."""
import json

from paddle_space import PaddleSpace, main


class Day(PaddleSpace):
    """Two steps where nothing but the log's beginning counts."""

    def start_of(self, options, reference_options, steps=2):
        self.experiment({"faults": []}, recorded=False, options=options, reference_options=reference_options,
                        extra=f"checks: standard\n            perturb: none\n            steps: {steps}", suspects="ops: [gelu]")


class Asked(Day):
    def test_standard_checks_name_what_the_logs_of_both_sides_do_not_share(self):
        self.start_of(", Train.loader.batch_size_per_card=8, Optimizer.lr.learning_rate=0.002", ", Global.seed=7", steps=12)
        done = self.bisectd("check", "experiment.yaml", "--run", code=3, timeout=300)
        said = done.out + done.err
        for name, there, here in (("batch_of_all_devices", "16", "8"), ("learning_rate", "0.004", "0.002"), ("seed", "7", "1024")):
            self.assertRegex(said, rf"(?s){name}.*{there}.*{here}")
        self.assertNotRegex(said, r"error +.*mixed_precision")

    def test_missing_kernels_cost_time(self):
        """A black-listed operator is one that the device has no kernel of."""
        self.experiment({"faults": []}, environment="CUSTOM_DEVICE_BLACK_LIST: conv2d", extra="steps: 6")
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--missing", "--json", "--quiet", code=0, timeout=300).out)
        of = {one["name"]: one for one in found["ops"]}
        self.assertEqual((of["conv2d"]["dtype"], of["conv2d"]["remark"]), ("float32", "off already"))
        self.assertGreater(of["conv2d"]["seconds"], 20 * of["coalesce_tensor"]["seconds"])  # 24 convolutions and one look-up
        self.assertEqual(of["full"]["remark"], "")

    def test_the_fix_is_watched_for_twice_as_long(self):
        report, done = self.find({"faults": [{"op": "hard_swish", "nan_from_call": 40}]}, suspects="ops: [hard_swish, adam]",
                                 extra="steps: 40\n            soak: 80")
        self.assertEqual(self.names(report), ["hard_swish"])
        soak = report["trial_list"][-1]
        self.assertEqual((soak["role"], soak["verdict"], soak["attempts"][-1]["last_step"]), ("soak", "pass", 80))
        self.assertRegex(done.out, r"Soak, the fix for longer than a trial \(trial \d+\): pass: runs to step 80, loss ")


if __name__ == "__main__":
    main()
