"""PaddleSeg's own trainer on the stand-in NPU, started by Paddle's own launcher."""
import pathlib
import sys
import unittest

from launch import EXACT, start

EXAMPLE = pathlib.Path(__file__).resolve().parents[1]


def train(faults=None, device="npu", **variables):
    command = [
        sys.executable, "-W", "ignore", "-m", "paddle.distributed.launch", "--devices", "1", str(EXAMPLE / "train.py"),
        "--config", str(EXAMPLE / "bisenetv2.yml"), "--device", device, "--iters", "6"]
    return start(command, faults, **variables)


class PaddleSeg(unittest.TestCase):
    def test_without_rounding_the_device_is_the_cpu(self):
        self.assertEqual(train(EXACT).losses, train(device="cpu").losses)


if __name__ == "__main__":
    unittest.main()
