#!/usr/bin/env python3
"""A training with the real torch_npu that is as short as a verdict allows, and prints the loss of every step.

    torch_npu_training.py {cnn,plain,fused} SEED STEPS [--device npu]

cnn            convolutions in HF32, batch norm, pooling, dropout; SGD by foreach operators
plain, fused   the transformer of examples/torch_npu with that attention, gradients clipped; AdamW tensor by tensor, or the fused one
"""
import argparse
import pathlib
import sys

import torch
import torch_npu  # noqa: F401
from torch import nn
from torch.nn import functional

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "examples/torch_npu"))
import train  # noqa: E402

CLASSES, WIDTH = 4, 12


def cnn():
    return nn.Sequential(nn.Conv2d(1, WIDTH, 3), nn.BatchNorm2d(WIDTH), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(WIDTH, WIDTH, 3), nn.SiLU(),
                         nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(.05), nn.Linear(4 * WIDTH, CLASSES))


def pictures(seed, steps):
    """Noise with a bar, whose place is to be told."""
    drawn = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        x, target = torch.randn(16, 1, 16, 16, generator=drawn), torch.randint(CLASSES, (16,), generator=drawn)
        x.view(16, CLASSES, 64)[range(16), target] += .5
        yield x, target


def sentences(seed, steps):
    for words in train.batches(steps, 8, seed):
        yield words[:, :-1], words[:, 1:].flatten()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kind", choices=["cnn", "plain", "fused"])
    options.add_argument("seed", type=int)
    options.add_argument("steps", type=int)
    options.add_argument("--device", default="npu")
    options = options.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    is_cnn = options.kind == "cnn"
    model = (cnn() if is_cnn else train.Model(options.kind)).to(options.device)
    if is_cnn:
        optimizer = torch.optim.SGD(model.parameters(), lr=.02, momentum=.9, foreach=True)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, fused=options.kind == "fused")
    for step, (x, target) in enumerate((pictures if is_cnn else sentences)(options.seed, options.steps), 1):
        x, target = x.to(options.device), target.to(options.device)
        loss = functional.cross_entropy(model(x).view(-1, CLASSES if is_cnn else train.WORDS), target)
        optimizer.zero_grad()
        loss.backward()
        if not is_cnn:
            nn.utils.clip_grad_norm_(model.parameters(), 1.)
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
