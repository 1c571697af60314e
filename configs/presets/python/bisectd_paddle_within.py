"""Runs Paddle's operators on the CPU, in float32 at least, only where one layer calls them, in its forward or in its
backward; says which one it moved. An operator belongs to the layer that calls it itself, not to those around that one; its
backward has the name that Paddle gives it (conv2d_grad). Read from the environment:

    BISECTD_PADDLE_CPU_LAYER_OPS    names, comma-separated: backbone.conv1/conv2d, backbone.conv1/conv2d_grad
    BISECTD_PADDLE_LIST_LAYER_OPS   1: print the operators that layers run on the device, one line at the first call of each

Paddle chooses kernels below Python and keeps its black list for good, so what is moved are the calls of paddle._C_ops and
of Python's signs for operators (bisectd_paddle_call). Calls that write to what they are given (relu_) are not moved, and
neither is what draws random numbers.
"""
import os
import threading

import paddle
from paddle.utils import flatten

from bisectd_modules import Names
from bisectd_paddle_call import Call, forward_moves_alone, is_on_device, is_tensor
from bisectd_paddle_layers import Paddle

BY_SIGN = {"__add__": "add", "__radd__": "add", "__sub__": "subtract", "__rsub__": "subtract", "__mul__": "multiply",
           "__rmul__": "multiply", "__truediv__": "divide", "__rtruediv__": "divide", "__matmul__": "matmul", "__pow__": "pow"}


class Here(threading.local):
    def __init__(self):
        self.layers, self.inside = [], False


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
            if name in self.wanted or f"{name}_grad" in self.wanted:
                return self.moved(name, operator, raw, args, kwargs)
            if self.listing and not {name, f"{name}_grad"} <= self.said:
                return self.listed(name, operator, raw, args, kwargs)
            return raw(*args, **kwargs)
        finally:
            self.here.inside = False

    def listed(self, name, operator, raw, args, kwargs):
        before = self.framework.random_states()
        result = raw(*args, **kwargs)
        values = flatten(result)
        if self.framework.random_states() != before or not any(map(is_on_device, flatten([list(args), kwargs]))):
            return result
        if forward_moves_alone(operator, values):
            self.say_once(name, f"ran {name} on the device")
        for one in values:
            if is_tensor(one) and not one.stop_gradient:  # its hooks come just before the backward of what made it
                one.register_hook(lambda _: self.say_once(f"{name}_grad", f"ran {name}_grad on the device"))
                break
        return result

    def moved(self, name, operator, raw, args, kwargs):
        passes = [one for one in (name, f"{name}_grad") if one in self.wanted]
        call = Call(operator, raw, args, kwargs, lambda why: self.refuse(passes[0], why))
        first = not self.said.issuperset(passes)
        before = self.framework.random_state() if first else None
        if len(passes) == 2:
            result = call.both_moved()
        elif passes == [name]:
            result = call.forward_moved()
        else:
            result = call.backward_moved(lambda: self.say_moved(passes[0]))
        if first and self.framework.random_state() != before:
            self.refuse(passes[0], "it draws random numbers, and the CPU draws others")
        for one in passes if name in self.wanted else []:
            self.say_moved(one)
        return result

    def say_moved(self, name):
        self.say_once(name, f"moved {name} to the CPU")

    def say_once(self, name, text):
        if name not in self.said:
            self.said.add(name)
            self.framework.say(text)

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
        if callable(raw) and not name.startswith("_") and not name.endswith(("_", "_grad")):
            put(paddle._C_ops, name, name)
    for sign, name in BY_SIGN.items():
        put(paddle.Tensor, sign, name)
