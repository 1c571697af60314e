"""What bisectd_perturb must know of PyTorch."""
import functools
import types

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from bisectd_perturb import begin

BITS16 = {torch.float16: "float16", torch.bfloat16: "bfloat16"}
DTYPES = {torch.float32: "float32", torch.float64: "float64", **BITS16}


def local(parameter):
    return parameter.to_local() if hasattr(parameter, "to_local") else parameter  # the shard of this rank


class Torch:
    def parameters(self, root):
        return [one for one in root.parameters() if one.requires_grad]

    def owned(self, optimizer):
        return [one for group in optimizer.param_groups for one in group["params"]]

    def dtype(self, parameter):
        return DTYPES.get(parameter.dtype)

    def get(self, parameter):
        if torch.nn.parameter.is_lazy(parameter) or parameter.is_meta or parameter.layout != torch.strided:
            return None
        values = local(parameter).detach().cpu()
        if parameter.dtype in BITS16:
            return values.contiguous().view(torch.int16).numpy().view("uint16").copy()
        return values.numpy().copy() if parameter.dtype in DTYPES else None

    def put(self, parameter, values, _):
        if parameter.dtype in BITS16:
            source = torch.from_numpy(values.view("int16")).view(parameter.dtype)
        else:
            source = torch.from_numpy(values)
        with torch.no_grad():
            local(parameter).copy_(source)


class Hooks:
    """Calls that tell the perturbation what happens; each is taken away once it has done its work."""

    def __init__(self, perturbation):
        self.perturbation, self.handle = perturbation, None
        hooks, init = self, torch.optim.Optimizer.__init__

        @functools.wraps(init)
        def built(this, *args, **kwargs):
            init(this, *args, **kwargs)
            hooks.built(this)

        torch.optim.Optimizer.__init__ = built

    def built(self, optimizer):
        self.perturbation.built(optimizer)
        hooks, own = self, optimizer.step.__func__

        @functools.wraps(own)
        def step(this, *args, **kwargs):
            if vars(this).get("step") is bound:  # else a learning rate schedule counts the steps in it
                del this.step
            hooks.stepping(this)
            return own(this, *args, **kwargs)

        bound = optimizer.step = types.MethodType(step, optimizer)
        if self.handle is None:
            self.handle = register_module_forward_pre_hook(self.called)

    def stepping(self, optimizer):
        if any(one is optimizer for one in self.perturbation.optimizers):
            self.perturbation.stepping(optimizer)
            if not self.perturbation.optimizers:
                self.remove()

    def called(self, module, _):
        if module.training and torch.is_grad_enabled() and self.perturbation.called(module):
            self.remove()

    def remove(self):
        if self.handle is not None:
            self.handle.remove()
            self.handle = None


def install():
    begin(Torch(), Hooks)
