"""Sends ATen operators to the CPU, in a higher precision, only where one module runs them, in its forward or in its
backward; says which one it moved. An operator belongs to the module that runs it itself, not to those around that one; what none
runs (a loss that is a function, the optimizer) belongs to `outside`.

A forward operator belongs to the module whose call is under way. For the backward, every node of autograd's graph is told,
when it is made, which module is under way, and says so again just before it runs. Read from the environment:

    BISECTD_TORCH_CPU_MODULE_OPS      names, comma-separated: conv1/forward/convolution, conv1/backward/sum.dim_IntList
    BISECTD_TORCH_CPU_MODULE_PASSES   names, comma-separated: conv1/backward, all operators of that pass that can be moved
    BISECTD_TORCH_LIST_MODULE_OPS     1: print the operators that run on the device in modules, a line at their first call
    BISECTD_TORCH_LIST_MODULE_PASSES  1: the same, by the passes alone

All operators pay for a look at each of them. What is compiled into a graph cannot be seen.
"""
import collections
import os
import threading

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

import bisectd_torch
import bisectd_torch_formulas
from bisectd_torch_operators import composite_key, hold_others, is_on_device, name_of, say, why_it_stays
from bisectd_modules import Names
from bisectd_torch_modules import Torch

PASSES = "forward", "backward"
OUTSIDE = "outside"


class Here(threading.local):
    """Where this thread is: modules under way in the forward, and in the backward the module whose node runs."""

    def __init__(self):
        self.modules = []
        self.backward_of = None

    def place(self):
        """encoder.conv1/backward"""
        if self.modules:
            return f"{self.modules[-1]}/forward"
        return f"{self.backward_of or OUTSIDE}/{'backward' if 'in_backward' in vars(self) else 'forward'}"


class Tracker:
    def __init__(self):
        self.names, self.here = Names(Torch()), Here()

    def call(self, inner, module, args, kwargs):
        modules = self.here.modules
        modules.append(self.names.of(module))
        try:
            result = inner(module, *args, **kwargs)
            self.tell_nodes(result)  # also those of functions that only C++ calls
        finally:
            modules.pop()
        return result

    def tell_nodes(self, values):
        owner = self.here.modules[-1] if self.here.modules else None
        for value in tree_flatten(values)[0]:
            if isinstance(value, torch.Tensor):
                self.tell(node_of(value), owner)

    def tell(self, node, owner):
        """The node, and those behind it that nobody told: one function can make several."""
        nodes = [node]
        while nodes:
            node = nodes.pop()
            if node is None or not node.next_functions or "bisectd" in node.metadata:  # without next ones: a parameter's
                continue
            node.metadata["bisectd"] = True
            before_it_runs(node, lambda: self.enter_backward(owner))
            nodes += [following for following, _ in node.next_functions]

    def enter_backward(self, owner):
        mine = vars(self.here)  # of this thread; the backward may end in another one
        if "in_backward" not in mine:
            mine["in_backward"] = True
            torch.autograd.Variable._execution_engine.queue_callback(lambda: self.leave_backward(mine))
        mine["backward_of"] = owner

    def leave_backward(self, mine):
        mine.pop("in_backward", None)
        mine["backward_of"] = None


def node_of(tensor):
    try:
        return tensor.grad_fn
    except RuntimeError:  # a view of before autograd was on, written to since (the row of an Embedding's padding_idx): it has none
        return None


def before_it_runs(node, tell):
    if hasattr(node, "register_prehook"):
        node.register_prehook(lambda gradients: tell())
        return
    # PyTorch 1 knows such hooks for tensors only; a tensor that nobody sees brings one to any node.
    bearer = torch.empty(0)
    bearer._backward_hooks = collections.OrderedDict({0: lambda gradient: tell()})
    node._register_hook_dict(bearer)


class Telling(TorchFunctionMode):
    def __init__(self, tracker):
        super().__init__()
        self.tracker = tracker

    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.tracker.tell_nodes(result)
        return result


class Watching(TorchDispatchMode):
    def __init__(self, tracker, moved, listed):
        super().__init__()
        self.tracker, self.moved, self.listed = tracker, moved, listed
        self.movers, self.seen, self.lock = {}, set(), threading.Lock()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if hold_others(types):
            return NotImplemented
        kwargs = kwargs or {}
        place = self.tracker.here.place()
        why_not = why_it_stays(func)
        if why_not != "":
            if why_not:
                self.note(place, func, (args, kwargs), why_not)
            return func(*args, **kwargs)
        mover = self.mover(place, func) if is_on_device((args, kwargs)) else None
        if mover is None and composite_key(func):
            return bisectd_torch.by_its_parts(func, self, args, kwargs)
        self.note(place, func, (args, kwargs))  # before it runs: it may be what kills the training
        result = (mover or func)(*args, **kwargs)
        self.note(place, func, result)
        return result

    def mover(self, place, func):
        if (place, func) not in self.movers:
            operator = f"{place}/{name_of(func)}"
            name = operator if operator in self.moved else place if place in self.moved else None
            self.movers[place, func] = name and bisectd_torch.Mover(func, name)
        return self.movers[place, func]

    def note(self, place, func, values, why_not=""):
        for name in self.listed(place, name_of(func)):
            if name not in self.seen and is_on_device(values) and not (why_not and name == place):
                with self.lock:
                    self.seen.add(name)
                    say(f"ran {name} on the device")
                    if why_not:
                        say(f"cannot move {name}: {why_not}")


def wanted():
    names = [name for variable in ("OPS", "PASSES")
             for name in os.environ.get(f"BISECTD_TORCH_CPU_MODULE_{variable}", "").split(",") if name]
    for name in names:
        if not any(part in PASSES for part in name.split("/")[1:]):
            say(f"cannot move {name}: it names no pass of a module, as in encoder.conv1/backward")
            os._exit(3)
    return frozenset(names)


def listed(place, operator):
    if os.environ.get("BISECTD_TORCH_LIST_MODULE_OPS"):
        yield f"{place}/{operator}"
    if os.environ.get("BISECTD_TORCH_LIST_MODULE_PASSES"):
        yield place


def install():
    bisectd_torch_formulas.install()
    bisectd_torch.let_autograd_end()
    tracker = Tracker()
    call = torch.nn.Module.__call__
    torch.nn.Module.__call__ = lambda module, *args, **kwargs: tracker.call(call, module, args, kwargs)
    install.modes = Telling(tracker), Watching(tracker, wanted(), listed)  # for the whole training
    for mode in install.modes:
        mode.__enter__()
