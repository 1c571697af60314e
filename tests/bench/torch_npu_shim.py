#!/usr/bin/env python3
"""What an operator that the shim of the preset torch-npu has moved costs a step of a transformer on the real torch_npu, against one that somebody
moves by hand, in processor time: torch_npu_shim.py [STEPS] (200)

Steps of both take turns in one process, so that a busy machine is the same for both; printed is the median of the ratios of neighbours. Where nothing
is to be moved the shim installs nothing (sitecustomize.py), so there is nothing to measure. Needs examples/torch_npu/environment and build, and
runs in that environment, with LD_LIBRARY_PATH of its stand-in CANN."""
import pathlib
import statistics
import sys
import time

import torch
import torch_npu  # noqa: F401
from torch.nn import functional

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "examples/torch_npu"), str(ROOT / "configs/presets/python")]
import bisectd_torch  # noqa: E402
import train  # noqa: E402


def by_hand(op):
    def kernel(*tensors, **others):
        return op(*(tensor.cpu().double() for tensor in tensors), **others).float().to("npu")
    return kernel


def main(steps="200"):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = train.Model("plain").to("npu")
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    batches = train.batches(1 << 30, 16)

    def step():
        began = time.process_time()
        words = next(batches).to("npu")
        loss = functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        return time.process_time() - began

    library, none = torch.library.Library("aten", "IMPL"), statistics.median(step() for _ in range(int(steps)))
    for name in "gelu", "mm":
        op = getattr(torch.ops.aten, name).default
        kernels = {"shim": bisectd_torch.Mover(op, name), "hand": by_hand(op)}
        now = {}
        library.impl(name, lambda *args, now=now, **kwargs: now["kernel"](*args, **kwargs), "PrivateUse1")
        times = {kind: [] for kind in kernels}
        for _ in range(int(steps)):
            for kind, now["kernel"] in kernels.items():
                times[kind].append(step())
        ratios = [shim / hand for shim, hand in zip(times["shim"], times["hand"])]
        print(f"{name}: {1e3 * statistics.median(times['shim']):.2f} ms, by hand {1e3 * statistics.median(times['hand']):.2f} ms "
              f"(not moved {1e3 * none:.2f} ms): {100 * (statistics.median(ratios) - 1):+.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
