#!/usr/bin/env python3
"""A training that needs nothing but Python: a small net learns a curve, on a "device" of which one operator is wrong.

    train.py gpu|npu      BISECTD_OFF=tanh,sgd computes these operators on the host instead
"""
import math
import os
import random
import sys

STEPS, HIDDEN, RATE = 150, 12, 0.05
on_device = sys.argv[1] == "npu"
off = set(filter(None, os.environ.get("BISECTD_OFF", "").split(",")))


def op(name, wrong=1.0):
    """The operator `name`: on the device its result is `wrong` times what it should be, unless it is off."""
    used = on_device and name not in off
    if on_device:
        print(f"bisectd: {'ran' if used else 'off'} {name}")
    return wrong if used else 1.0


matmul, bias, tanh, tanh_grad, mean, sgd = (op("matmul"), op("bias"), op("tanh"), op("tanh_grad", wrong=1.1), op("mean"), op("sgd"))
chance = random.Random(7)
w1, b1 = [chance.gauss(0, 1) for _ in range(HIDDEN)], [chance.gauss(0, 1) for _ in range(HIDDEN)]
w2, b2 = [chance.gauss(0, 0.3) for _ in range(HIDDEN)], 0.0
# Repeats of a run start from parameters that were moved by a thousandth, more than any device rounds.
seed = int(os.environ.get("TRAIN_PERTURB", "0"))
kick, size = random.Random(seed), 0.0 if seed == 0 else 2.0**-10
w1, b1, w2 = ([value * (1 + size * kick.gauss(0, 1)) for value in values] for values in (w1, b1, w2))
data = [(x / 20, math.sin(x / 7)) for x in range(-40, 41, 2)]

for step in range(1, STEPS + 1):
    loss, g1, h1, g2, h2 = 0.0, [0.0] * HIDDEN, [0.0] * HIDDEN, [0.0] * HIDDEN, 0.0
    for x, wanted in data:
        hidden = [math.tanh(matmul * w * x + bias * b) * tanh for w, b in zip(w1, b1)]
        error = matmul * sum(w * h for w, h in zip(w2, hidden)) + b2 - wanted
        loss += mean * error * error / len(data)
        h2 += error
        for i, h in enumerate(hidden):
            g2[i] += error * h
            back = error * w2[i] * (1 - h * h) * tanh_grad
            g1[i] += back * x
            h1[i] += back
    rate = sgd * RATE * 2 / len(data)
    for i in range(HIDDEN):
        w1[i] -= rate * g1[i]
        b1[i] -= rate * h1[i]
        w2[i] -= rate * g2[i]
    b2 -= rate * h2
    print(f"step {step} loss {loss!r}")
