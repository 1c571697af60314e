"""Debian's PyTorch with a device of our own, and the shim of the preset torch-npu. With the PyTorch of another Python:
TORCH_PYTHON=build/torch-npu/bin/python tests/run -R 'torch|perturbation'"""
import os
import pathlib
import subprocess
import unittest

from space import SOURCE, Space

TORCH = SOURCE / "examples/torch"
PYTHON = os.environ.get("TORCH_PYTHON", "/usr/bin/python3")
OTHER = PYTHON != "/usr/bin/python3"
if OTHER:
    PYTHON = os.path.abspath(SOURCE / PYTHON)
    os.environ["STANDIN_TORCH"] = str(SOURCE / "build/standin-torch-of" / PYTHON.strip("/").replace("/", "-"))
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu may be beside it
SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_TORCH_DEVICE": "privateuseone",
        "BISECTD_TORCH_AFTER": "standin_npu"}


def example():
    """The text of its experiment, to be written in any folder."""
    return (TORCH / "experiment.yaml").read_text().replace("train.py", str(TORCH / "train.py")).replace("/usr/bin/python3", PYTHON)


class TorchSpace(Space):
    """The search of examples/torch with other faults."""

    def find(self, faults, suspects="{ops: {discover: true}}", code=1, discovery=""):
        experiment = example()
        start = experiment.index("  environment: {STANDIN_NPU_FAULTS")
        experiment = experiment[:start] + f'  environment: {{STANDIN_NPU_FAULTS: "{faults}"}}\n' + experiment[experiment.index("\nmetric"):]
        experiment = experiment[:experiment.index("suspects:")] + f"suspects: {suspects}\n"
        experiment = experiment.replace("  modules: *standin", discovery or "  modules: *standin", 1)
        read = [TORCH / "train.py", TORCH / "standin_npu.py", pathlib.Path(os.environ.get("STANDIN_TORCH", SOURCE / "build/standin-torch"), "standin_npu.so")]
        self.write("experiment.yaml", self.with_recorded_reference(experiment, *read))
        done = self.bisectd("run", "experiment.yaml", code=code, timeout=600)
        return self.report(), done


class ShimAlone(unittest.TestCase):
    """The shim alone, on a device that does not round: what is moved is exactly the CPU's."""

    @classmethod
    def setUpClass(cls):
        os.environ["STANDIN_NPU_FAULTS"] = "rounding=0"
        cls.addClassCleanup(os.environ.pop, "STANDIN_NPU_FAULTS")

    def train(self, *words, **environment):
        done = subprocess.run([PYTHON, TORCH / "train.py", *words], env={**os.environ, **environment}, capture_output=True,
                              text=True, timeout=120)
        self.last = done
        return done.stdout.splitlines()

    def losses(self, lines):
        return [float(line.split()[3]) for line in lines if line.startswith("step ")]

    def run_code(self, code, **environment):
        code = f"import sys; sys.path.insert(0, '{TORCH}'); import torch\n" + code
        self.last = subprocess.run([PYTHON, "-c", code], env={**os.environ, **SHIM, **environment}, capture_output=True, text=True)
        return self.last.stdout.splitlines()


def start_quickly():
    """Python looks for garbage while PyTorch is imported and once more at exit: 1.2 instead of 1.5 s of processor time for "import torch" without.
    For all that the tests start: in the folder of packages of a user of their own."""
    os.environ["PYTHONUSERBASE"] = str(SOURCE / "build/python-user")
    told = subprocess.run([PYTHON, "-m", "site", "--user-site"], capture_output=True, text=True)  # 1 or 2: it is not there (yet)
    wanted = pathlib.Path(told.stdout.strip(), "short-starts.pth")
    line = "import atexit, gc; gc.set_threshold(10_000_000); atexit.register(gc.freeze)\n"
    if not wanted.exists() or wanted.read_text() != line:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        new = wanted.with_suffix(f".{os.getpid()}")
        new.write_text(line)
        new.rename(wanted)


def main():
    """Of every file of tests that trains with PyTorch on the stand-in device."""
    other = {"PYTHON": PYTHON} if OTHER else {}
    subprocess.run([TORCH / "build"], check=True, env={**os.environ, **other})
    start_quickly()
    unittest.main()
