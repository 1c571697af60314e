"""PyTorch with a device of our own, and the shim of the preset torch-npu."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import warm_start
from space import SOURCE, Space

TORCH = SOURCE / "examples/torch"
PYTHON = str(SOURCE / "build/torch-npu/bin/python")
WARM = f"{PYTHON}, {warm_start.__file__}, torch.socket"  # in a folder of WarmSpace
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu is beside it
SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_TORCH_DEVICE": "privateuseone",
        "BISECTD_TORCH_AFTER": "standin_npu"}


def example(python=PYTHON):
    """The text of its experiment, to be written in any folder."""
    return (TORCH / "experiment.yaml").read_text().replace("train.py", str(TORCH / "train.py")).replace("../../build/torch-npu/bin/python", python)


def serving(socket):
    return warm_start.serving(PYTHON, socket, ["torch", "torch._dynamo"])


class WarmSpace(Space):
    """Trainings that start by WARM have imported PyTorch already, and what its optimizers import: nine tenths of their processor time."""

    def setUp(self):
        super().setUp()
        self.enterContext(serving(self.folder / "torch.socket"))


class TorchSpace(WarmSpace):
    """The search of examples/torch with other faults."""

    def find(self, faults, suspects="{ops: {discover: true}}", code=1, discovery=""):
        experiment = example(WARM).replace("gelu_backward*1.5;tanh*1.4&gelu", faults)
        experiment = experiment[:experiment.index("suspects:")] + f"suspects: {suspects}\n"
        experiment = experiment.replace("  modules: *standin", discovery or "  modules: *standin", 1)
        read = [TORCH / "train.py", TORCH / "standin_npu.py", SOURCE / "build/standin-torch/standin_npu.so"]
        self.write("experiment.yaml", self.with_recorded_reference(experiment, *read))
        done = self.bisectd("run", "experiment.yaml", code=code, timeout=600)
        return self.report(), done


class ShimAlone(unittest.TestCase):
    """The shim alone, on a device that does not round: what is moved is exactly the CPU's. All of a class begin in one process that has
    imported PyTorch."""

    @classmethod
    def setUpClass(cls):
        os.environ["STANDIN_NPU_FAULTS"] = "rounding=0"
        cls.addClassCleanup(os.environ.pop, "STANDIN_NPU_FAULTS")
        cls.socket = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "socket")
        cls.enterClassContext(serving(cls.socket))

    def python(self, *words, **environment):
        self.last = subprocess.run([PYTHON, warm_start.__file__, self.socket, *words], env={**os.environ, **environment}, capture_output=True,
                                   text=True, timeout=120)
        return self.last.stdout.splitlines()

    def train(self, *words, **environment):
        return self.python(TORCH / "train.py", *words, **environment)

    def losses(self, lines):
        return [float(line.split()[3]) for line in lines if line.startswith("step ")]

    def run_code(self, code, **environment):
        return self.python("-c", f"import sys; sys.path.insert(0, '{TORCH}'); import torch\n" + code, **{**SHIM, **environment})


def main():
    """Of every file of tests that trains with PyTorch on the stand-in device."""
    if not os.path.exists(PYTHON):
        raise SystemExit(f"not there: {PYTHON}; examples/torch_npu/environment makes it (tests/run calls it)")
    subprocess.run([TORCH / "build"], check=True)
    unittest.main()
