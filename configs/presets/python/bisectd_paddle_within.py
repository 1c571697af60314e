"""Runs Paddle's operators on the CPU, forward and backward, only where one layer calls them; says which one it moved.
An operator belongs to the layer that calls it itself, not to those around that one. Read from the environment:

    BISECTD_PADDLE_CPU_LAYER_OPS    names, comma-separated: backbone.conv1/conv2d
    BISECTD_PADDLE_LIST_LAYER_OPS   1: print the operators that layers run on the device, one line at the first call of each

Paddle chooses kernels below Python and keeps its black list for good, so what is moved are the calls of paddle._C_ops and
of Python's signs for operators; the copies there and back are differentiable, so that the backward is on the CPU as well.
Calls that write to what they are given (relu_) are not moved, and neither is what draws random numbers. Under automatic
mixed precision nothing is: the dtypes of a call are then chosen below Python.
"""
import os
import threading

import numpy
import paddle
from paddle.utils import flatten, map_structure, pack_sequence_as

from bisectd_modules import Names
from bisectd_paddle_layers import Paddle, moved

BY_SIGN = {"__add__": "add", "__radd__": "add", "__sub__": "subtract", "__rsub__": "subtract", "__mul__": "multiply",
           "__rmul__": "multiply", "__truediv__": "divide", "__rtruediv__": "divide", "__matmul__": "matmul", "__pow__": "pow"}


class Here(threading.local):
    def __init__(self):
        self.layers, self.inside = [], False


def is_tensor(value):
    return isinstance(value, paddle.Tensor) and value._is_initialized()


def is_on_device(value):
    return is_tensor(value) and value.place.is_custom_place()


def is_mixed():
    return paddle.base.framework._dygraph_tracer()._amp_level != paddle.base.core.AmpLevel.O0


def up(value):
    return moved(value, paddle.framework._current_expected_place_()) if is_tensor(value) else value


def on_cpu(raw, args, kwargs):
    structure = [list(args), kwargs]
    values = flatten(structure)
    host = [moved(one, paddle.CPUPlace()) if is_tensor(one) else one for one in values]
    kept = [one.numpy() if is_tensor(one) and one.stop_gradient else None for one in host]
    args, kwargs = pack_sequence_as(structure, host)
    device = paddle.device.get_device()
    paddle.device.set_device("cpu")
    try:
        result = raw(*args, **kwargs)
    finally:
        paddle.device.set_device(device)
    for own, one, was in zip(values, host, kept):  # running statistics
        if was is not None and not numpy.array_equal(one.numpy(), was, equal_nan=was.dtype.kind == "f"):
            with paddle.no_grad():
                own.set_value(one)
    return map_structure(up, result)


class Operators:
    def __init__(self, wanted, listing):
        self.wanted, self.listing, self.said = frozenset(wanted), listing, set()
        self.framework = Paddle()
        self.names, self.here = Names(self.framework), Here()

    def called(self, call, layer, args, kwargs):
        self.here.layers.append(self.names.of(layer))
        try:
            return call(layer, *args, **kwargs)
        finally:
            self.here.layers.pop()

    def run(self, operator, raw, args, kwargs):
        if not self.here.layers or self.here.inside:
            return raw(*args, **kwargs)
        name = f"{self.here.layers[-1]}/{operator}"
        self.here.inside = True  # copies to the CPU are calls, too
        try:
            if name in self.wanted:
                return self.moved(name, raw, args, kwargs)
            if self.listing and name not in self.said:
                return self.listed(name, raw, args, kwargs)
            return raw(*args, **kwargs)
        finally:
            self.here.inside = False

    def listed(self, name, raw, args, kwargs):
        before = self.framework.random_states()
        result = raw(*args, **kwargs)
        if is_mixed() or not any(map(is_on_device, flatten([list(args), kwargs]))):
            return result
        self.said.add(name)
        if self.framework.random_states() == before:
            self.framework.say(f"ran {name} on the device")
        return result

    def moved(self, name, raw, args, kwargs):
        before = None
        if name not in self.said:
            if is_mixed():
                self.refuse(name, "mixed precision chooses its dtypes below Python")
            before = self.framework.random_state()
        result = on_cpu(raw, args, kwargs)
        if before is not None:
            if self.framework.random_state() != before:
                self.refuse(name, "it draws random numbers, and the CPU draws others")
            self.said.add(name)
            self.framework.say(f"moved {name} to the CPU")
        return result

    def refuse(self, name, why):
        self.framework.say(f"cannot move {name}: {why}")
        os._exit(3)


def install():
    wanted = [name for name in os.environ.get("BISECTD_PADDLE_CPU_LAYER_OPS", "").split(",") if name]
    operators = Operators(wanted, os.environ.get("BISECTD_PADDLE_LIST_LAYER_OPS") == "1")
    call = paddle.nn.Layer.__call__
    paddle.nn.Layer.__call__ = lambda layer, *args, **kwargs: operators.called(call, layer, args, kwargs)

    def put(owner, attribute, operator):
        raw = getattr(owner, attribute)
        setattr(owner, attribute, lambda *args, **kwargs: operators.run(operator, raw, args, kwargs))

    for name, raw in list(vars(paddle._C_ops).items()):
        if callable(raw) and not name.startswith("_") and not name.endswith("_"):
            put(paddle._C_ops, name, name)
    for sign, name in BY_SIGN.items():
        put(paddle.Tensor, sign, name)
