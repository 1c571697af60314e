#!/usr/bin/env python3
"""Step times (of the processor) of a PyTorch training with the shim of the preset torch-npu: torch_shim.py [STEPS] [ROUNDS]
(400 5). The cases take turns in one run, so that a busy machine is the same for all; the median of the rounds is printed. Needs
examples/torch_npu/environment and examples/torch/build."""
import os
import pathlib
import re
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PYTHON = SOURCE / "build/torch-npu/bin/python"
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu is beside it
SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_TORCH_DEVICE": "privateuseone",
        "BISECTD_TORCH_AFTER": "standin_npu", "SHOW_STEP_TIME": "1"}
CASES = {"without the shim": None, "shim, empty list": "", "gelu": "gelu", "gelu, gelu_backward": "gelu,gelu_backward",
         "addmm": "addmm", "native_layer_norm": "native_layer_norm", "gelu@float32 (a mode)": "gelu@float32"}


def step_ms(ops, steps):
    environment = {**os.environ, "SHOW_STEP_TIME": "1", **({} if ops is None else {**SHIM, "BISECTD_TORCH_CPU_OPS": ops})}
    done = subprocess.run([PYTHON, SOURCE / "examples/torch/train.py", "npu", f"steps={steps}"], env=environment,
                          capture_output=True, text=True, check=True)
    return float(re.search(r"step time (\S+) ms", done.stdout)[1])


def main(steps=400, rounds=5):
    times = {case: [] for case in CASES}
    for _ in range(int(rounds)):
        for case, ops in CASES.items():
            times[case].append(step_ms(ops, steps))
    plain = statistics.median(times["without the shim"])
    print(f"{'listed':24} {'step, ms':>9} {'against none':>13}   target")
    for case, values in times.items():
        middle = statistics.median(values)
        target = "within noise" if case == "shim, empty list" else ""
        print(f"{case:24} {middle:9.3f} {100 * (middle / plain - 1):+12.1f}%   {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
