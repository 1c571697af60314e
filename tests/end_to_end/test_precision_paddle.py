"""Mixed precision, loss scales and overflows on the real PaddlePaddle."""
import json
import pathlib

from paddle_space import PaddleSpace, main


class Precision(PaddleSpace):
    def test_a_dynamic_loss_scale_that_collapses_is_read_and_its_operator_named(self):
        """The training goes on without NaN: Paddle's GradScaler leaves out every step, and says so."""
        report, done = self.find({"faults": [{"op": "gelu_grad", "nan_from_call": 8}]}, suspects="{ops: [gelu_grad, hard_swish]}",
                                 options=", Global.use_amp=true, Global.scale_loss=1024.0, Global.use_dynamic_loss_scaling=true",
                                 extra="accept: {target: 2%}")
        self.assertEqual(self.names(report), ["gelu_grad"])
        number = next(trial["number"] for trial in report["trial_list"] if trial["role"] == "as-is")
        as_is, = self.run_folder().glob(f"trials/{number:04}/attempt-1/stdout.log")
        self.assertIn("Found inf or nan, current scale is: 1024.0, decrease to: 1024.0*0.5", as_is.read_text())
        check, = [trial for trial in report["trial_list"] if trial["role"] == "overflow-check"]
        self.assertIn(f"gelu_grad is the first operator with an inf or a nan, by the framework's own check (trial {check['number']})",
                      " ".join(report["warnings"]))

    def test_only_a_dynamic_loss_scale_passes(self):
        """The numbers overflow in every step; the scaler comes down from there in the first few."""
        report, _ = self.find({"faults": []}, options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                              reference_options=", Loss.multiplier=0.001", suspects="{loss_scale: all}",
                              extra="families: {loss_scale: {suspect: 67108864.0, values: [134217728.0, dynamic]}}\n            accept: {target: 8%}")
        self.assertEqual(report["workaround"]["arguments"], ["Global.use_dynamic_loss_scaling=True"])

    def test_an_underflow_that_a_larger_loss_scale_mends_too(self):
        # float16 gradients of one kernel underflow at a loss scale of 64: either the operator goes to the CPU or the scale
        # goes up, and the scale is the cheaper fix.
        scale = "loss_scale: {suspect: 64.0}"
        report, done = self.find({"faults": [{"op": "gelu_grad", "flush_below": 1e-4}]},
                                 options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                                 reference_options=", Loss.multiplier=0.001", extra=f"families: {{{scale}}}",
                                 suspects="{ops: [gelu_grad, hard_swish], loss_scale: [128.0, 8192.0, 65536.0]}")
        self.assertEqual(self.causes(report), [["gelu_grad", "loss_scale"]])
        self.assertEqual(self.names(report), ["loss_scale"])
        self.assertIn("Global.scale_loss=65536.0", done.out)
        ladder, = report["ladders"]
        self.assertEqual([one["value"] for one in ladder["values"]], ["128.0", "8192.0", "65536.0"])
        self.assertEqual(ladder["window"]["recommended"], "65536.0")

    def test_mixed_precision_is_a_toggle(self):
        # Without a loss scale most of the gradients are too small for float16.
        report, _ = self.find({"faults": []}, options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                              reference_options=", Loss.multiplier=0.001", suspects="{amp: [use_amp], ops: [hard_swish]}")
        self.assertEqual(self.names(report), ["use_amp"])
        self.assertEqual(report["workaround"]["arguments"], ["Global.use_amp=False"])

    def test_an_operator_that_mixed_precision_leaves_in_float32(self):
        # Only then can it go to the CPU, which has no float16 kernel for it.
        self.experiment({"faults": []}, options=', Global.use_amp=true, Global.scale_loss=1024.0, "{arguments}"',
                        suspects="{ops: [matmul_v2, gelu], amp_black: [matmul_v2, gelu]}", extra="accept: {target: 5%}")
        self.bisectd("trial", "experiment.yaml", "--off", "ops:matmul_v2", code=4)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "ops:matmul_v2,amp_black:matmul_v2", "--json",
                                         code=0).out)
        command = pathlib.Path(judged["attempts"][0], "command.sh").read_text()
        self.assertIn("Global.amp_custom_black_list=[matmul_v2]", command)

    def test_an_operator_whose_black_listing_crashes(self):
        # Under AMP the CPU has no float16 kernel for it: Paddle's own NotFound ends the run.
        report, done = self.find({"faults": [{"op": "gelu", "relative": 0.6}]},
                                 options=", Global.use_amp=true, Global.scale_loss=1024.0",
                                 suspects="ops: [matmul_v2, gelu, adam]", extra="accept: {target: 2%}")
        self.assertEqual(self.names(report), ["gelu"])
        self.assertIn("matmul_v2", done.out)


if __name__ == "__main__":
    main()
