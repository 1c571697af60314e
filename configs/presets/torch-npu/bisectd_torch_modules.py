"""Runs the listed modules of a model on the CPU in a higher precision, forward and backward; says which one it moved.

The copies to the CPU and back are differentiable, so autograd runs the backward of a moved module on the CPU as well.
Modules are named as named_modules() of the outermost module names them. Read from the environment:

    BISECTD_TORCH_CPU_MODULES    names, comma-separated: encoder.layer.3.norm
    BISECTD_TORCH_LIST_MODULES   1: print the modules without children that are called, one line each

A name that no outermost module has ends the training with a line that says so. Knows nothing of single operators.
"""
import os

from bisectd_torch import device_type, higher, say


def wanted():
    return [name for name in os.environ.get("BISECTD_TORCH_CPU_MODULES", "").split(",") if name]


class Modules:
    def __init__(self, torch, call):
        self.torch, self.call = torch, call
        self.names = {}       # id of a module -> its name, for the modules of every outermost one seen
        self.roots = []       # kept alive, so that an id is never used twice
        self.depth = 0
        self.moving = False
        self.said = set()

    def __call__(self, module, *args, **kwargs):
        if self.moving:
            return self.call(module, *args, **kwargs)
        if self.depth == 0 and not any(module is root for root in self.roots):
            self.learn(module)
        self.depth += 1
        try:
            return self.run(module, args, kwargs)
        finally:
            self.depth -= 1

    def learn(self, root):
        self.roots.append(root)
        names = {id(module): name for name, module in root.named_modules() if name}
        self.names.update(names)
        missing = [name for name in wanted() if name not in self.names.values()]
        if missing and len(names) > 1:  # a lone loss function is an outermost module too
            say(f"cannot move module {missing[0]}: the model has none of that name")
            os._exit(3)

    def run(self, module, args, kwargs):
        name = self.names.get(id(module))
        if name and os.environ.get("BISECTD_TORCH_LIST_MODULES") == "1" and not list(module.children()):
            self.say_once(f"ran module {name} on the device")
        if name not in wanted():
            return self.call(module, *args, **kwargs)
        self.moving = True
        try:
            return self.on_cpu(module, name, args, kwargs)
        finally:
            self.moving = False

    def on_cpu(self, module, name, args, kwargs):
        torch = self.torch
        from torch.nn.utils import stateless
        from torch.utils._pytree import tree_flatten, tree_map

        def is_tensor(value):
            return isinstance(value, torch.Tensor)

        given = [value for value in tree_flatten((args, kwargs))[0] if is_tensor(value)]
        state = dict(module.named_parameters()) | dict(module.named_buffers())
        floating = [t.dtype for t in [*given, *state.values()] if t.dtype.is_floating_point]
        result_dtype = next((t.dtype for t in given if t.dtype.is_floating_point), None)
        target = higher(max(floating, key=lambda dtype: torch.finfo(dtype).bits)) if floating else None

        def down(value):
            if not is_tensor(value):
                return value
            host = value.to("cpu")
            return host.to(target) if host.dtype.is_floating_point else host

        def up(value):
            if not is_tensor(value):
                return value
            value = value.to(result_dtype) if value.dtype.is_floating_point and result_dtype else value
            return value.to(device_type())

        host_state = {key: down(value) for key, value in state.items()}
        result = stateless.functional_call(module, host_state, tree_map(down, args), tree_map(down, kwargs))
        with torch.no_grad():
            for key, buffer in module.named_buffers():  # running statistics and the like
                buffer.copy_(host_state[key].to(buffer.dtype))
        self.say_once(f"moved module {name} to the CPU")
        return tree_map(up, result)

    def say_once(self, text):
        if text not in self.said:
            self.said.add(text)
            say(text)


def install():
    import torch

    modules = Modules(torch, torch.nn.Module.__call__)
    torch.nn.Module.__call__ = lambda module, *args, **kwargs: modules(module, *args, **kwargs)
