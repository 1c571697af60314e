"""Small trainings with PyTorch of many kinds, on the CPU or on the stand-in device of examples/torch. Reads a JSON list of runs,
{world, steps, seed, environment, file}, and writes the losses of each to its file. Each run is a fork of this process, as
importing PyTorch takes longer than most of them. torch_zoo.py JOBS < RUNS
Or one run that prints its losses, for an experiment: torch_zoo.py WORLD STEPS SEED"""
import json
import math
import os
import pathlib
import sys
import traceback

import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent


class Draw:
    """Data of one seed, on the CPU: the same for every device."""

    def __init__(self, seed, device):
        self.generator, self.device = torch.Generator().manual_seed(seed), device

    def normal(self, *shape):
        return torch.randn(*shape, generator=self.generator)

    def below(self, limit, *shape):
        return torch.randint(0, limit, shape, generator=self.generator)


def classes(draw, inputs, noise, count=8):
    """Batches of noisy prototypes, and which one each is."""
    prototypes = draw.normal(count, inputs)

    def batch(size):
        target = draw.below(count, size)
        return (prototypes[target] + noise * draw.normal(size, inputs)).to(draw.device), target.to(draw.device)

    return batch


def lstm(draw, steps):
    """A language model of a Markov chain."""
    table = (1.5 * draw.normal(24, 24)).softmax(1)
    net = nn.ModuleDict({"embed": nn.Embedding(24, 24), "gates": nn.Linear(24 + 40, 4 * 40), "out": nn.Linear(40, 24)}).to(draw.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(steps):
        words = [draw.below(24, 8)]
        for _ in range(10):
            words.append(torch.multinomial(table[words[-1]], 1, generator=draw.generator)[:, 0])
        text = torch.stack(words, 1).to(draw.device)
        # By hand: for a device that is no CPU, PyTorch 2 asks for a fused cell.
        hidden = cell = torch.zeros(8, 40).to(draw.device)
        hiddens = []
        for place in range(10):
            i, f, g, o = net["gates"](torch.cat([net["embed"](text[:, place]), hidden], 1)).chunk(4, 1)
            cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
            hidden = o.sigmoid() * cell.tanh()
            hiddens.append(hidden)
        yield functional.cross_entropy(net["out"](torch.stack(hiddens, 1)).flatten(0, 1), text[:, 1:].flatten()), [optimizer]


def mlp(draw, steps):
    """Dropout, SGD with momentum, classes that are never learnt whole."""
    batch = classes(draw, 24, 2.0)
    net = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 8))
    net = net.to(draw.device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        x, target = batch(32)
        yield functional.cross_entropy(net(x), target), [optimizer]


def gan(draw, steps):
    """Two nets against each other, each with an optimizer of its own; the loss of the one that discriminates."""
    maker = nn.Sequential(nn.Linear(8, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, 16)).to(draw.device)
    judge = nn.Sequential(nn.Linear(16, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1)).to(draw.device)
    makes = torch.optim.Adam(maker.parameters(), lr=2e-3, betas=(0.5, 0.999))
    judges = torch.optim.Adam(judge.parameters(), lr=2e-3, betas=(0.5, 0.999))
    mixing = draw.normal(4, 16)
    for _ in range(steps):
        real, fake = draw.normal(32, 4) @ mixing, maker(draw.normal(32, 8).to(draw.device))
        yield (functional.softplus(-judge(real.to(draw.device))) + functional.softplus(judge(fake.detach()))).mean(), [judges]
        makes.zero_grad()
        functional.softplus(-judge(fake)).mean().backward()
        makes.step()


def regression(draw, steps):
    """A loss that goes to 1e-3 and below."""
    net = nn.Sequential(nn.Linear(8, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1)).to(draw.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    weights = draw.normal(8)
    for _ in range(steps):
        x = draw.normal(48, 8)
        yield ((net(x.to(draw.device))[:, 0] - torch.sin(x @ weights / 3).to(draw.device)) ** 2).mean(), [optimizer]


def warmup(draw, steps):
    """A transformer whose learning rate grows over half of the run."""
    batch = classes(draw, 64, 1.5)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, activation="gelu", batch_first=True)
    net = nn.ModuleList([layer, nn.Linear(64, 8)]).to(draw.device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / (steps / 2)))
    for _ in range(steps):
        x, target = batch(16)
        yield functional.cross_entropy(net[1](net[0](x.view(16, 4, 16)).flatten(1)), target), [optimizer]
        schedule.step()


def plateau(draw, steps):
    """A parity: nothing is learnt for a while, then all at once."""
    net = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(draw.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    for _ in range(steps):
        x = 2.0 * draw.below(2, 64, 10) - 1
        target = (x[:, :3].prod(1) > 0).float()
        yield functional.binary_cross_entropy_with_logits(net(x.to(draw.device))[:, 0], target.to(draw.device)), [optimizer]


def negative(draw, steps):
    """A density: the loss falls through zero."""
    net = nn.Sequential(nn.Linear(6, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 2)).to(draw.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    weights = draw.normal(6)
    for _ in range(steps):
        x = draw.normal(48, 6)
        y = torch.tanh(x @ weights) + 0.05 * draw.normal(48)
        mean, log = net(x.to(draw.device)).unbind(1)
        log = log.clamp(-6, 4)
        yield (((y.to(draw.device) - mean) / log.exp()) ** 2 / 2 + log).mean(), [optimizer]


def convolution(draw, steps):
    """Images, batch norm, cosine schedule, losses printed with four decimals."""
    batch = classes(draw, 3 * 8 * 8, 2.5)
    blocks = [nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.Hardswish()) for i, o, s in ((3, 12, 1), (12, 24, 2))]
    net = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(384, 8)).to(draw.device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        x, target = batch(16)
        yield functional.cross_entropy(net(x.view(16, 3, 8, 8)), target), [optimizer]
        schedule.step()


def edge(draw, steps):
    """SGD at a rate at which the loss now and then jumps."""
    batch = classes(draw, 24, 1.2)
    net = nn.Sequential(nn.Linear(24, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.GELU(), nn.Linear(64, 8))
    net = net.to(draw.device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.7, momentum=0.6)
    for _ in range(steps):
        x, target = batch(24)
        yield functional.cross_entropy(net(x), target), [optimizer]


WORLDS = {one.__name__: one for one in (lstm, mlp, gan, regression, warmup, plateau, negative, convolution, edge)}


def losses_of(world, steps, seed):
    """As the training prints them, step by step."""
    device = "cpu"
    if "STANDIN_NPU_MAKE" in os.environ:
        sys.path.insert(0, str(HERE.parents[1] / "examples/torch"))
        import standin_npu
        device = standin_npu.DEVICE
    torch.manual_seed(seed)
    for loss, optimizers in WORLDS[world](Draw(seed, device), steps):
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        yield round(loss.item(), 4 if world == "convolution" else 8)


def train(world, steps, seed, environment):
    os.environ.update(environment)
    if environment.get("BISECTD_PERTURB"):
        sys.path.insert(0, str(HERE.parents[1] / "configs/presets/python"))
        import bisectd_perturb_torch
        bisectd_perturb_torch.install()
    losses = []
    for loss in losses_of(world, steps, seed):
        losses.append(loss)
        if not math.isfinite(loss):
            raise RuntimeError(f"diverges at step {len(losses)}")
    return losses


def child(run):
    try:
        losses = train(run["world"], run["steps"], run["seed"], run["environment"])
        pathlib.Path(run["file"]).write_text(json.dumps(losses))
    except Exception:
        sys.stderr.write(f"{run['file']}: {traceback.format_exc(limit=-2)}\n")


def many(jobs):
    running = 0
    for run in json.load(sys.stdin):
        if running == jobs:
            os.wait()
            running -= 1
        if os.fork() == 0:
            child(run)
            os._exit(0)
        running += 1
    for _ in range(running):
        os.wait()


def one(world, steps, seed):
    for step, loss in enumerate(losses_of(world, int(steps), int(seed)), 1):
        print(f"step {step} loss {loss}", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    one(*sys.argv[1:]) if len(sys.argv) > 2 else many(int(sys.argv[1]))
