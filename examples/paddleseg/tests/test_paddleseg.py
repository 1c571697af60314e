"""PaddleSeg's own trainer on the stand-in NPU, started by Paddle's own launcher."""
import pathlib
import sys
import unittest

from launch import one_fault, start

EXAMPLE = pathlib.Path(__file__).resolve().parents[1]


def train(faults=None, device="npu", **variables):
    command = [
        sys.executable, "-W", "ignore", "-m", "paddle.distributed.launch", "--devices", "1", str(EXAMPLE / "train.py"),
        "--config", str(EXAMPLE / "bisenetv2.yml"), "--device", device, "--iters", "6"]
    return start(command, faults, **variables)


class PaddleSeg(unittest.TestCase):
    def test_a_wrong_backward_operator_shows_and_black_listing_mends_it(self):
        fault = one_fault("batch_norm_grad", relative=0.3)
        reference = train(device="cpu")
        self.assertEqual(len(reference.losses), 6, reference.err)
        wrong = train(fault)
        self.assertEqual(wrong.status, 0, wrong.err)
        self.assertGreater(abs(float(wrong.losses[-1]) / float(reference.losses[-1]) - 1), 0.005)
        self.assertEqual(train(fault, CUSTOM_DEVICE_BLACK_LIST="batch_norm_grad").losses, reference.losses)


if __name__ == "__main__":
    unittest.main()
