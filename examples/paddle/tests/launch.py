"""Starts a training for a test, in a process that has imported Paddle already, and returns what it left."""
import atexit
import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PADDLE = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(PADDLE.parents[1] / "tests/end_to_end"))
import warm_start

LIBRARY = pathlib.Path(os.environ.get("OUT", PADDLE.parents[1] / "build" / "standin-npu"))
EXACT = {"rounding": 0}  # a fault file: the device computes bit for bit what the CPU computes
PATIENCE_S = 300  # the machine may be busy with other things
LOSS = re.compile(r"[, ]loss: (nan|-?inf|-?\d+\.\d+)")


@dataclasses.dataclass
class Run:
    status: int  # negative: the signal; None: it did not end by itself
    losses: list  # as printed
    out: str
    err: str


def environment(folder, faults, **variables):
    """faults: what goes into the fault file; a text goes in as it is."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("CUSTOM_DEVICE_", "STANDIN_NPU_"))}
    known.update(CUSTOM_DEVICE_ROOT=str(LIBRARY), FLAGS_use_stride_kernel="0", OMP_NUM_THREADS="1")
    if faults is not None:
        path = pathlib.Path(folder, "faults.json")
        path.write_text(faults if isinstance(faults, str) else json.dumps(faults))
        known["STANDIN_NPU_FAULTS"] = str(path)
    known.update(variables)
    return known


@functools.cache
def python():
    """How a script, module or text is started that imports Paddle."""
    server = contextlib.ExitStack()
    atexit.register(server.close)
    socket = pathlib.Path(server.enter_context(tempfile.TemporaryDirectory()), "socket")
    server.enter_context(warm_start.serving(sys.executable, socket, ["paddle"], {**os.environ, "OMP_NUM_THREADS": "1"}))
    return sys.executable, warm_start.__file__, str(socket)


def start(command, faults=None, hangs_after=None, **variables):
    """hangs_after: so many losses; the process is then given two seconds to end by itself, and status None says it did not."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = pathlib.Path(folder, "out"), pathlib.Path(folder, "err")
        with out.open("w") as out_file, err.open("w") as err_file:
            process = subprocess.Popen(
                command, cwd=folder, env=environment(folder, faults, **variables), stdout=out_file, stderr=err_file)
        try:
            if hangs_after is not None:
                while process.poll() is None and len(LOSS.findall(out.read_text())) < hangs_after:
                    time.sleep(0.2)
            status = process.wait(PATIENCE_S if hangs_after is None else 2)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            process.kill()
            process.wait()
        return Run(status, LOSS.findall(out.read_text()), out.read_text(), err.read_text())


def train(faults=None, options=(), device="npu", hangs_after=None, **variables):
    """20 steps of the recogniser, every step printed as it is."""
    command = [
        *python(), str(PADDLE / "train.py"), "-c", str(PADDLE / "rec.yml"), "-o",
        "Global.epoch_num=1", "Global.log_smooth_window=1", "Global.print_batch_step=1",
        f"Global.use_npu={device == 'npu'}", *options]
    return start(command, faults, hangs_after, **variables)


def one_fault(op, **fault):
    return {"faults": [{"op": op, **fault}]}


def exact(faults):
    """The same on a device that does not round: whatever differs from the CPU is a fault."""
    return {**EXACT, **faults}
