"""What an engineer asks beside the culprit, on real Paddle: are both sides given the same, what has the device no kernel for."""
import json

from paddle_space import PaddleSpace, main


class Asked(PaddleSpace):
    def test_standard_checks_name_what_the_logs_of_both_sides_do_not_share(self):
        self.experiment({"faults": []}, recorded=False, options=", Train.loader.batch_size_per_card=8, Optimizer.lr.learning_rate=0.002",
                        reference_options=", Global.seed=7", extra="checks: standard\n            perturb: none\n            steps: 12",
                        suspects="ops: [gelu]")
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


if __name__ == "__main__":
    main()
