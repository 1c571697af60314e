"""A small convolutional classifier of images with PyTorch on the CPU; prints `loss V` per step. torch_cnn.py STEPS SEED"""
import sys

import torch

steps, seed = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(seed)


def block(inputs, outputs, stride):
    return torch.nn.Sequential(torch.nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), torch.nn.BatchNorm2d(outputs), torch.nn.ReLU())


net = torch.nn.Sequential(block(3, 16, 1), block(16, 32, 2), block(32, 32, 1), block(32, 64, 2), torch.nn.AdaptiveAvgPool2d(2),
                          torch.nn.Flatten(), torch.nn.Linear(256, 10))
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
data = torch.Generator().manual_seed(seed)
prototypes = torch.randn(10, 3, 16, 16, generator=data)
for _ in range(steps):
    target = torch.randint(0, 10, (32,), generator=data)
    images = prototypes[target] + 3 * torch.randn(32, 3, 16, 16, generator=data)
    loss = torch.nn.functional.cross_entropy(net(images), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(f"loss {loss.item():.8f}", flush=True)
