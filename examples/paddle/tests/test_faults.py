"""Each way of going wrong shows, and only under its condition."""
import math
import signal
import unittest

from launch import one_fault, train


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sound = train()

    def shows(self, faults, **variables):
        run = train(faults, **variables)
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(len(run.losses), 20)
        self.assertNotEqual(run.losses, self.sound.losses)
        return run

    def test_relative_error_of_the_loss_is_exact(self):
        run = self.shows(one_fault("warpctc", relative=0.5))
        self.assertAlmostEqual(float(run.losses[0]), 1.5 * float(self.sound.losses[0]), places=4)

    def test_additive_error_of_the_loss_is_exact(self):
        run = self.shows(one_fault("warpctc", additive=2))
        self.assertAlmostEqual(float(run.losses[0]), 2 + float(self.sound.losses[0]), places=4)

    def test_an_optimizer_is_wrong_in_its_step_and_not_in_its_value(self):
        # A relative error of -1 of the step means that nothing is learnt; of the value it would make every weight zero.
        run = train(one_fault("adam", relative=-1), ["Global.epoch_num=2"])
        self.assertEqual(run.losses[0], self.sound.losses[0])
        self.assertEqual(run.losses[0], run.losses[20])  # the second epoch begins with the first batch

    def test_rounding_to_half_is_small(self):
        run = self.shows(one_fault("conv2d", round_to_half=True))
        self.assertAlmostEqual(float(run.losses[-1]), float(self.sound.losses[-1]), delta=0.05)

    def test_flushing_small_numbers(self):
        self.shows(one_fault("hard_swish_grad", flush_below=1e-3))

    def test_a_fraction_of_the_calls(self):
        some = self.shows(one_fault("hard_swish", relative=0.5, fraction=0.3))
        self.assertNotEqual(some.losses, train(one_fault("hard_swish", relative=0.5)).losses)
        self.assertEqual(some.losses, train(one_fault("hard_swish", relative=0.5, fraction=0.3)).losses)
        other = {"seed": 2, **one_fault("hard_swish", relative=0.5, fraction=0.3)}
        self.assertNotEqual(some.losses, train(other).losses)

    def test_not_a_number_from_a_call_on(self):
        run = self.shows(one_fault("gelu", nan_from_call=11))
        self.assertEqual(run.losses[:10], self.sound.losses[:10])
        self.assertTrue(math.isnan(float(run.losses[10])))

    def test_a_crash(self):
        run = train(one_fault("gelu", crash_at_call=11))
        self.assertEqual(run.status, -signal.SIGABRT)
        self.assertEqual(run.losses, self.sound.losses[:10])
        self.assertIn("gelu crashes at call 11", run.err)

    def test_a_hang(self):
        run = train(one_fault("gelu", hang_at_call=11), hangs_after=10)
        self.assertIsNone(run.status)
        self.assertEqual(run.losses, self.sound.losses[:10])

    def test_a_hang_at_exit_comes_after_the_whole_curve(self):
        run = train({"at_exit": "hang"}, hangs_after=20)
        self.assertIsNone(run.status)
        self.assertEqual(run.losses, self.sound.losses)

    def test_a_crash_at_exit_comes_after_the_whole_curve(self):
        run = train({"at_exit": "crash"})
        self.assertEqual(run.status, -signal.SIGABRT)
        self.assertEqual(run.losses, self.sound.losses)

    def test_the_reference_ends_well_all_the_same(self):
        run = train({"at_exit": "crash", **one_fault("conv2d", relative=1)}, device="cpu")
        self.assertEqual((run.status, run.losses), (0, train(device="cpu").losses))

    def test_an_overflow_skips_a_step(self):
        half = ["Global.use_amp=true", "Global.scale_loss=1024.0"]
        sound, run = train({}, half), train(one_fault("check_finite_and_unscale", overflow_at_call=11), half)
        self.assertEqual(run.losses[:11], sound.losses[:11])
        self.assertNotEqual(run.losses[11], sound.losses[11])

    def test_noise_differs_from_run_to_run(self):
        noise = {"noise": {"relative": 1e-3, "ops": ["conv2d", "adam"]}}
        self.assertNotEqual(self.shows(noise).losses, self.shows(noise).losses)

    def test_noise_with_a_seed_repeats(self):
        noise = {"noise": {"relative": 1e-3, "ops": ["conv2d", "matmul_v2"]}}
        self.assertEqual(self.shows(noise, STANDIN_NPU_SEED="5").losses, self.shows(noise, STANDIN_NPU_SEED="5").losses)


if __name__ == "__main__":
    unittest.main()
