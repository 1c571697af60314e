#!/usr/bin/env python3
"""A small classifier trained with PyTorch, on the CPU, the stand-in device or a GPU; prints `step N loss V`.

    train.py [npu|cuda] [steps=N]
"""
import os
import pathlib
import sys
import time

import torch


def load_device():
    """The stand-in brings its kernels as torch_npu does: by being imported."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import standin_npu

    return standin_npu.DEVICE


def network():
    torch.manual_seed(7)
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.LayerNorm(64), torch.nn.GELU(), torch.nn.Linear(64, 64),
                               torch.nn.Tanh(), torch.nn.Linear(64, 8))


def main(words):
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    device = load_device() if "npu" in words else "cuda" if "cuda" in words else "cpu"
    torch.set_num_threads(1)
    net = network().to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    data = torch.Generator().manual_seed(11)
    weights = torch.randn(32, 8, generator=data)
    started = time.process_time()  # one thread: what else the machine does must not count
    for step in range(1, int(settings.get("steps", 60)) + 1):
        x = torch.randn(64, 32, generator=data)
        target = (x @ weights).argmax(1)
        loss = torch.nn.functional.cross_entropy(net(x.to(device)), target.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}", flush=True)
    if os.environ.get("SHOW_STEP_TIME"):
        print(f"step time {(time.process_time() - started) / step * 1000:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
