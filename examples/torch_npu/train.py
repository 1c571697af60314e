"""Trains a small transformer on the device that torch_npu brings: a sequence that counts by a step of its own, which has to be told from the
numbers before. Prints the loss of every step. Under torchrun each rank has its share of a batch."""
import argparse
import os

import torch
import torch_npu  # noqa: F401  PyTorch imports it by itself from 2.5 on
from torch import distributed, nn
from torch.nn import functional

WORDS, LENGTH, WIDTH, HEADS = 64, 32, 64, 4


class Block(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.before_attention, self.before_mlp = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        q, k, v = (part.unflatten(2, (HEADS, -1)).transpose(1, 2) for part in self.qkv(self.before_attention(x)).chunk(3, -1))
        x = x + self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.before_mlp(x))

    def attend(self, q, k, v):
        if self.attention == "fused":
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        future = torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=q.device).triu(1)
        return (q @ k.transpose(-1, -2) / q.size(-1) ** .5).masked_fill(future, float("-inf")).softmax(-1) @ v


class Model(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Parameter(torch.randn(LENGTH, WIDTH) * .02)
        self.blocks = nn.Sequential(Block(attention), Block(attention))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        return self.head(self.norm(self.blocks(self.words(words) + self.places)))


def shared_out(model, how, rank):
    if how == "ddp":
        return nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    from torch.distributed.fsdp import fully_shard  # of PyTorch 2.6

    for part in (*model.blocks, model):
        fully_shard(part)
    return model


def batches(steps, size, seed=1):
    drawn = torch.Generator().manual_seed(seed)  # on the CPU, so that all devices see the same
    for _ in range(steps):
        start, by = (torch.randint(least, most, (size, 1), generator=drawn) for least, most in ((0, WORDS), (1, 6)))
        yield (start + by * torch.arange(LENGTH + 1)) % WORDS


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--device", default="npu")
    options.add_argument("--attention", choices=["fused", "plain"], default="fused")
    options.add_argument("--parallel", choices=["ddp", "fsdp"], default="ddp")
    options.add_argument("--steps", type=int, default=100)
    options = options.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rank, ranks = (int(os.environ.get(name, default)) for name, default in (("RANK", 0), ("WORLD_SIZE", 1)))
    if ranks > 1:
        torch.npu.set_device(rank)
        distributed.init_process_group("hccl")
    model = Model(options.attention).to(options.device)
    if ranks > 1:
        model = shared_out(model, options.parallel, rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step, words in enumerate(batches(options.steps, 16), 1):
        words = words.chunk(ranks)[rank].to(options.device)
        loss = functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.)
        optimizer.step()
        if ranks > 1:
            distributed.all_reduce(loss.detach_(), distributed.ReduceOp.AVG)
        if rank == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)
    if ranks > 1:
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
