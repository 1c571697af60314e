"""Without rounding and faults the stand-in computes what the CPU computes, and a black-listed operator is mended exactly."""
import unittest

from launch import EXACT, exact, one_fault, train


class Identity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reference = train(device="cpu")

    def test_the_reference_learns(self):
        losses = [float(loss) for loss in self.reference.losses]
        self.assertEqual(len(losses), 20)
        self.assertLess(losses[-1], 0.6 * losses[0])

    def test_no_fault_no_difference(self):
        self.assertEqual(train(EXACT).losses, self.reference.losses)

    def test_mixed_precision_repeats_itself(self):
        half = ["Global.use_amp=true", "Global.scale_loss=1024.0"]
        self.assertEqual(train(EXACT, half).losses, train(EXACT, half).losses)

    def test_the_stride_kernels_make_no_difference(self):
        self.assertEqual(train(EXACT, FLAGS_use_stride_kernel="1").losses, self.reference.losses)

    def mends(self, op, faults, options=(), reference=None):
        faults = exact(faults)
        wrong = train(faults, options)
        self.assertEqual(wrong.status, 0, wrong.err)
        self.assertNotEqual(wrong.losses, (reference or self.reference).losses)
        mended = train(faults, options, CUSTOM_DEVICE_BLACK_LIST=op)
        self.assertEqual(mended.losses, (reference or self.reference).losses)

    def test_black_listing_mends_a_forward_operator(self):
        self.mends("hard_swish", one_fault("hard_swish", relative=0.1))

    def test_black_listing_mends_a_backward_operator(self):
        self.mends("batch_norm_grad", one_fault("batch_norm_grad", relative=0.3))

    def test_black_listing_mends_an_optimizer(self):
        self.mends("adam", one_fault("adam", relative=0.1))

    def test_two_faults_need_two_names(self):
        faults = exact({"faults": [{"op": "hard_swish", "relative": 0.1}, {"op": "adam", "relative": 0.1}]})
        one = train(faults, CUSTOM_DEVICE_BLACK_LIST="adam")
        self.assertNotEqual(one.losses, self.reference.losses)
        both = train(faults, CUSTOM_DEVICE_BLACK_LIST="adam,hard_swish")
        self.assertEqual(both.losses, self.reference.losses)

    def test_momentum_and_cross_entropy(self):
        options = ["Optimizer.name=Momentum", "Optimizer.lr.learning_rate=0.02", "Loss.name=CELoss"]
        reference = train(device="cpu", options=options)
        self.assertLess(float(reference.losses[-1]), float(reference.losses[0]))
        faults = one_fault("softmax_with_cross_entropy_grad", relative=0.2)
        self.mends("softmax_with_cross_entropy_grad", faults, options, reference)


if __name__ == "__main__":
    unittest.main()
