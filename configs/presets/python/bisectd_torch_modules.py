"""What bisectd_modules must know of PyTorch. A moved module computes in a higher precision. Read from the environment:

    BISECTD_TORCH_CPU_MODULES    names, comma-separated: encoder.layer.3.norm
    BISECTD_TORCH_LIST_MODULES   1: print the modules that are called, one line each
    BISECTD_TORCH_LIST_OPS_OF    a module: print the operators that it runs on the device, forward and backward
"""
import os

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

import bisectd_torch
import bisectd_torch_formulas
from bisectd_torch_operators import device_type, say
from bisectd_modules import Framework, Modules


SHARDING = {"FullyShardedDataParallel", "FSDPModule"}  # classes of FSDP


class Torch(Framework):
    kind = "module"
    tensor, module, parts = torch.Tensor, torch.nn.Module, "_modules"
    sequential, dropouts = torch.nn.Sequential, torch.nn.modules.dropout._DropoutNd
    map_tree = staticmethod(tree_map)
    say = staticmethod(say)

    def named(self, root):
        return root.named_modules()

    def why_it_stays(self, module):
        if any(one.__name__ in SHARDING for inner in module.modules() for one in type(inner).__mro__):
            return "FSDP gathers its parameters while it runs; its parts can move, and its operators (module_ops)"
        return ""

    def with_inner(self, module):
        return list(module.modules())

    def dtypes(self, module, arguments):
        given = [value for value in tree_flatten(arguments)[0] if isinstance(value, torch.Tensor)]
        floating = [t.dtype for t in [*given, *module.parameters()] if t.dtype.is_floating_point]
        if not floating:
            return None, None
        # One precision for all: kernels refuse a mixture of float32 and float64.
        return bisectd_torch.higher(max(floating, key=lambda dtype: torch.finfo(dtype).bits)), floating[0]

    def down(self, tensor, computed, _):
        return tensor.to("cpu", computed if tensor.dtype.is_floating_point else tensor.dtype)

    def up(self, tensor, computed, returned):
        return tensor.to(device_type(), returned if tensor.dtype == computed else tensor.dtype)

    def write(self, buffer, value):
        with torch.no_grad():
            buffer.copy_(value.to(buffer.dtype))

    def equal(self, one, other):
        return torch.equal(one, other)

    def random_state(self):
        return torch.get_rng_state().tolist()

    def random_states(self):
        of_device = getattr(getattr(torch, device_type(), None), "get_rng_state", None)
        return self.random_state(), of_device().tolist() if of_device else None

    def enter_cpu(self):
        pass  # a tensor is made where its maker says

    leave_cpu = enter_cpu


class OperatorsOf:
    """Lists what one module uses: runs it once more for itself when it is first called, forward and backward."""

    def __init__(self, name, modules):
        self.name, self.modules, self.call = name, modules, modules.call
        modules.call = self

    def __call__(self, module, *args, **kwargs):
        if self.modules.names.of(module) == self.name:
            self.modules.call = self.call
            with bisectd_torch.listing(), torch.enable_grad():
                self.run_alone(module, args, kwargs)
        return self.call(module, *args, **kwargs)

    def run_alone(self, module, args, kwargs):
        values, spec = tree_flatten((args, kwargs))
        values = [one.detach().requires_grad_(one.dtype.is_floating_point) if isinstance(one, torch.Tensor) else one
                  for one in values]
        args, kwargs = tree_unflatten(values, spec)
        results, sources = (
            [one for one in found if isinstance(one, torch.Tensor) and one.requires_grad]
            for found in (tree_flatten(self.call(module, *args, **kwargs))[0], [*values, *module.parameters()]))
        seeds = [torch.ones(one.shape, dtype=one.dtype).to(one.device) for one in results]  # made on the CPU: not listed
        torch.autograd.grad(results, sources, seeds, allow_unused=True)


def install():
    bisectd_torch_formulas.install()
    wanted = [name for name in os.environ.get("BISECTD_TORCH_CPU_MODULES", "").split(",") if name]
    modules = Modules(Torch(), torch.nn.Module.__call__, wanted, os.environ.get("BISECTD_TORCH_LIST_MODULES") == "1")
    if os.environ.get("BISECTD_TORCH_LIST_OPS_OF"):
        OperatorsOf(os.environ["BISECTD_TORCH_LIST_OPS_OF"], modules)
    torch.nn.Module.__call__ = lambda module, *args, **kwargs: modules(module, *args, **kwargs)
