#!/usr/bin/env python3
"""A training with the real torch_npu that is as short as a verdict allows, and prints the loss of every step.

    torch_npu_training.py {cnn,plain,fused,many} SEED STEPS [--device npu]

cnn            convolutions in HF32, batch norm, pooling, dropout; SGD by foreach operators
plain, fused   the transformer of examples/torch_npu with that attention, gradients clipped; AdamW tensor by tensor, or the fused one
many           plain, and beside it most of what there is of poolings and functions of single numbers: 64 operators
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


class Many(train.Model):
    def __init__(self):
        super().__init__("plain")
        self.convolution, self.batch_norm, self.mix = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.Linear(train.WIDTH, train.WIDTH)

    def forward(self, words):
        x = self.words(words) + self.places
        seen = functional.max_pool2d(functional.leaky_relu(self.batch_norm(self.convolution(x.unsqueeze(1)))), 2)
        seen = functional.avg_pool2d(torch.tanh(seen), 2) + functional.adaptive_avg_pool2d(functional.hardtanh(seen), (8, 16))
        x = x + torch.sigmoid(seen.mean((1, 2, 3))).view(-1, 1, 1) * functional.silu(self.mix(x))
        x = x + .1 * (functional.relu(x) + torch.exp(-x.abs()) + (x * x + 1).rsqrt())
        return self.head(self.norm(self.blocks(x)))


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
    options.add_argument("kind", choices=["cnn", "plain", "fused", "many"])
    options.add_argument("seed", type=int)
    options.add_argument("steps", type=int)
    options.add_argument("--device", default="npu")
    options = options.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    is_cnn = options.kind == "cnn"
    model = (cnn() if is_cnn else Many() if options.kind == "many" else train.Model(options.kind)).to(options.device)
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
