"""Holds what a training draws from: seeds of Python, NumPy and the framework before the script runs, and deterministic kernels. A
script that sets a seed itself, later, has the last word. Knows nothing of the rest of bisectd. Read from the environment:

    BISECTD_HOLD_SEED            a seed from 0 to 2^32-1; PYTHONHASHSEED, which Python reads itself, is set beside it
    BISECTD_HOLD_DETERMINISTIC   1: deterministic kernels; an operator without one warns, and the run goes on
"""
import os
import sys


def seed():
    text = os.environ.get("BISECTD_HOLD_SEED", "")
    return int(text) if text else None


def is_deterministic():
    return os.environ.get("BISECTD_HOLD_DETERMINISTIC") == "1"


def say(text):
    sys.stderr.write(f"bisectd: held {text}\n")  # one write of a whole line: the lines of workers must not mix
    sys.stderr.flush()


def hold(framework, set_seed, set_deterministic=None):
    """The shim of one framework."""
    held = []
    if seed() is not None:
        set_seed(seed())
        held.append(f"seed {seed()}")
    if is_deterministic() and set_deterministic:
        set_deterministic()
        held.append("deterministic kernels")
    if held:
        say(f"{framework}: {', '.join(held)}")


def python():
    import random

    hold("python", random.seed)


def numpy():
    import numpy

    hold("numpy", numpy.random.seed)


def torch():
    import torch

    def deterministic():
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False

    hold("torch", torch.manual_seed, deterministic)  # GPUs get it once they are used


def torch_npu():
    import torch

    hold("torch_npu", torch.npu.manual_seed_all)  # its devices were not there when torch got its seed


def paddle():
    import paddle

    hold("paddle", paddle.seed)  # its kernels by flags, which it reads itself


def mindspore():
    import mindspore

    hold("mindspore", mindspore.set_seed)  # its kernels by bisectd_mindspore: it takes set_deterministic once only


def tensorflow():
    import tensorflow

    def set_seed(seed):
        random = tensorflow.random if hasattr(tensorflow.random, "set_seed") else tensorflow.compat.v1
        (getattr(random, "set_seed", None) or random.set_random_seed)(seed)
        seed_graphs(tensorflow.Graph, seed)

    hold("tensorflow", set_seed)  # its kernels by TF_DETERMINISTIC_OPS


def seed_graphs(graph, seed):
    """Each graph of TensorFlow has a seed of its own, which one made later would not have."""
    make = graph.__init__

    def __init__(self, *arguments, **named):
        make(self, *arguments, **named)
        if self.seed is None:
            self.seed = seed

    graph.__init__ = __init__
