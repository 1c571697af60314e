"""The trainer's own manners: mixed precision, loss scale, smoothing, overrides."""
import unittest

from launch import one_fault, train


def last(run, count=10):
    return sum(float(loss) for loss in run.losses[-count:]) / count


class MixedPrecision(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reference = train(device="cpu", options=["Global.epoch_num=2"])

    def amp(self, scale, *options, **variables):
        return train(options=["Global.epoch_num=2", "Global.use_amp=true", f"Global.scale_loss={scale}", *options], **variables)

    def test_float16_trains_as_well_as_float32(self):
        for level in ("O1", "O2"):
            with self.subTest(level):
                run = self.amp(1024, f"Global.amp_level={level}")
                self.assertNotEqual(run.losses, self.reference.losses)
                self.assertAlmostEqual(last(run) / last(self.reference), 1, delta=0.005)

    def test_an_optimizer_is_wrong_in_what_it_makes_of_masters(self):
        run = train(one_fault("adam", relative=0.5), ["Global.epoch_num=2", "Global.use_amp=true", "Global.scale_loss=1024", "Global.amp_level=O2"])
        self.assertNotAlmostEqual(last(run) / last(self.reference), 1, delta=0.02)

    def test_a_small_loss_has_a_window_of_good_scales(self):
        for scale, good in ((1, False), (16384, True), (2.0**40, False)):
            run = self.amp(scale, "Loss.multiplier=0.001")
            self.assertEqual(abs(last(run) / last(self.reference) - 1) < 0.005, good, f"scale {scale}")

    def test_an_operator_without_a_float16_kernel_cannot_be_black_listed(self):
        run = self.amp(1024, CUSTOM_DEVICE_BLACK_LIST="matmul_v2")
        self.assertNotEqual(run.status, 0)
        self.assertIn("(NotFound)", run.err)
        self.assertIn("fail to fallback to CPU", run.err)

    def test_an_operator_with_one_can(self):
        self.assertEqual(self.amp(1024, CUSTOM_DEVICE_BLACK_LIST="gelu").status, 0)


class Trainer(unittest.TestCase):
    def test_the_printed_loss_is_the_median_of_a_window(self):
        faults = one_fault("warpctc", additive=100, fraction=0.1)
        two_epochs = "Global.epoch_num=2"
        spikes = [float(loss) > 50 for loss in train(faults, [two_epochs]).losses]
        smooth = [float(loss) > 50 for loss in train(faults, [two_epochs, "Global.log_smooth_window=9"]).losses]
        self.assertTrue(any(spikes))
        self.assertFalse(any(smooth[9:]))

    def test_an_unknown_override_is_refused(self):
        for wrong in ("Global.use_nqu=true", "Globl.use_npu=true", "Global.use_npu"):
            run = train(options=[wrong])
            self.assertNotEqual(run.status, 0)
            self.assertIn(wrong.partition("=")[0], run.err)


if __name__ == "__main__":
    unittest.main()
