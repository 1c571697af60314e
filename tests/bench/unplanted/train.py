"""A filter that is fitted to measurements on a large offset: float32 resolves them, bfloat16 does not."""
import sys
import torch
steps, seed = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(seed)
data = torch.Generator().manual_seed(seed)
teacher = torch.nn.Conv2d(16, 16, 3, padding=1).requires_grad_(False)
net = torch.nn.Conv2d(16, 16, 3, padding=1)
net.weight.data = teacher.weight + 0.01 * torch.randn(teacher.weight.shape, generator=data)
optimizer = torch.optim.Adam(net.parameters(), lr=5e-4)
for step in range(1, steps + 1):
    x = 10 + torch.randn(16, 16, 16, 16, generator=data)
    wanted = torch.nn.functional.conv2d(x.double(), teacher.weight.double(), teacher.bias.double(), padding=1).float()
    wanted += 0.05 * torch.randn(wanted.shape, generator=data)
    loss = torch.nn.functional.mse_loss(net(x), wanted)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    print(f"step {step} loss {loss.item():.10f}", flush=True)
