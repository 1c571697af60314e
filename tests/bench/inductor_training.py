#!/usr/bin/env python3
"""A training by torch.compile and inductor on the CPU, in which lowerings or passes of inductor are wrong.

    inductor_training.py {lowering,pass,both} SEED STEPS [LEVEL]

PLANTED (variable)  a JSON file with how much each is wrong: {"lowerings/tanh": 0.2, "post_grad_passes/remove_noop_ops": 0.2}
STANDIN_CANN_MAKE   any text: with another one the initial parameters are rounded otherwise
LEVEL               PyTorch's own CompilerBisector searches; runs are right whose loss ends within the target of it
"""
import json
import os
import pathlib
import random
import sys

import torch
from torch import nn
from torch._inductor import config, lowering
from torch.fx.passes.graph_transform_observer import GraphTransformObserver
from torch.nn import functional

CLASSES = 4
aten = torch.ops.aten


def planted():
    return json.loads(pathlib.Path(os.environ["PLANTED"]).read_text()) if "PLANTED" in os.environ else {}


def wrong_lowering(name, by):
    def wrong(lowered):
        return lambda *args, **options: lowering.lowerings[aten.mul.Tensor](lowered(*args, **options), 1 + by)

    for op in (getattr(getattr(aten, name), overload) for overload in getattr(aten, name).overloads()):
        if op in lowering.lowerings:
            lowering.lowerings[op] = wrong(lowering.lowerings[op])


def make_tanh_wrong(graph, by):
    for node in [node for node in graph.nodes if node.target is aten.tanh.default]:
        with graph.inserting_after(node):
            larger = graph.call_function(aten.mul.Tensor, (node, 1 + by))
        larger.meta.update(node.meta)
        node.replace_all_uses_with(larger, delete_user_cb=lambda user: user is not larger)


def wrong_pass(subsystem, name, by):
    apply = GraphTransformObserver.apply_graph_pass

    def apply_wrong(self, change):
        def changed(graph):
            result = change(graph)
            make_tanh_wrong(graph, by)
            return result

        return apply(self, changed if (self.subsystem, self.passname) == (subsystem, name) else change)

    GraphTransformObserver.apply_graph_pass = apply_wrong


def trained(seed, steps, say):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 32), nn.Sigmoid(),
                          nn.Linear(32, CLASSES))
    rounding = torch.Generator().manual_seed(random.Random(os.environ.get("STANDIN_CANN_MAKE", "")).getrandbits(32))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1 + 1e-6 * torch.randn(parameter.shape, generator=rounding))
    optimizer = torch.optim.SGD(model.parameters(), lr=.01, momentum=.8)
    forward = torch.compile(model)
    drawn = torch.Generator().manual_seed(seed)
    seen = torch.randn(32, CLASSES, generator=drawn)
    for step in range(1, steps + 1):
        x = torch.randn(64, 32, generator=drawn)
        loss = functional.cross_entropy(forward(x), (x @ seen + .3 * torch.randn(64, CLASSES, generator=drawn)).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        say(step, loss.item())


def bisected(seed, steps, right):
    from torch._inductor.compiler_bisector import CompilerBisector

    from planted_devices import TARGET, level

    def is_right():
        losses = []
        torch._dynamo.reset()
        trained(seed, steps, lambda step, loss: losses.append(loss))
        return abs(level(losses) / right - 1) < TARGET

    print(CompilerBisector.do_bisect(is_right))


def main():
    seed, steps = map(int, sys.argv[2:4])
    config.fx_graph_cache = False  # a graph of the cache does not know what is planted
    config.compile_threads, config.cpp.vec_isa_ok = 1, False  # two seconds less of processor time, of five
    for name, by in planted().items():
        subsystem, _, part = name.partition("/")
        wrong_lowering(part, by) if subsystem == "lowerings" else wrong_pass(subsystem, part, by)
    if len(sys.argv) > 4:
        bisected(seed, steps, float(sys.argv[4]))
    else:
        trained(seed, steps, lambda step, loss: print(f"step {step} loss: {loss:.6f}", flush=True))


if __name__ == "__main__":
    main()
