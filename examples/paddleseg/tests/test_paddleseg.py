"""PaddleSeg's own trainer on the stand-in NPU, started by Paddle's own launcher."""
import pathlib
import sys
import unittest

from launch import EXACT, one_fault, start

EXAMPLE = pathlib.Path(__file__).resolve().parents[1]


def train(faults=None, device="npu", **variables):
    command = [
        sys.executable, "-W", "ignore", "-m", "paddle.distributed.launch", "--devices", "1", str(EXAMPLE / "train.py"),
        "--config", str(EXAMPLE / "bisenetv2.yml"), "--device", device, "--iters", "6"]
    return start(command, faults, **variables)


class PaddleSeg(unittest.TestCase):
    def test_a_wrong_backward_operator_shows_and_black_listing_mends_it(self):
        fault = one_fault("batch_norm_grad", relative=0.3)
        reference = train(STANDIN_NPU_MAKE="gpu")
        self.assertEqual(len(reference.losses), 6, reference.err)
        wrong = train(fault)
        self.assertEqual(wrong.status, 0, wrong.err)
        # At one step the loss may cross the reference's, on some processors the last one.
        self.assertGreater(max(abs(float(ours) / float(theirs) - 1) for ours, theirs in zip(wrong.losses, reference.losses, strict=True)), 0.01)
        mended = train(fault, CUSTOM_DEVICE_BLACK_LIST="batch_norm_grad")
        for ours, theirs in zip(mended.losses, reference.losses, strict=True):
            self.assertAlmostEqual(float(ours) / float(theirs), 1, delta=0.004)

    def test_without_rounding_the_device_is_the_cpu(self):
        self.assertEqual(train(EXACT).losses, train(device="cpu").losses)


if __name__ == "__main__":
    unittest.main()
