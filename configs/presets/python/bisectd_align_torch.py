"""What bisectd_align must know of PyTorch."""
import functools
import os
import types

import torch
from torch.utils._pytree import tree_flatten

from bisectd_align import Recorder
from bisectd_modules import Framework


def local(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor  # the shard of this rank


class Torch(Framework):
    tensor, module, parts = torch.Tensor, torch.nn.Module, "_modules"
    sequential, dropouts = torch.nn.Sequential, torch.nn.modules.dropout._DropoutNd
    title = f"torch {torch.__version__}"

    def flat(self, values):
        return tree_flatten(values)[0]

    def __init__(self):
        self.devices = set()  # their types

    def named(self, root):
        return root.named_modules()

    def with_inner(self, module):
        return list(module.modules())

    def is_training(self, module):
        return module.training and torch.is_grad_enabled()

    def numbers(self, tensor):
        self.devices.add(tensor.device.type)
        tensor = local(tensor.detach()).cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()

    def dtype(self, tensor):
        return str(tensor.dtype).rpartition(".")[2]

    def version(self, tensor):
        return tensor._version

    def wants_gradient(self, tensor):
        return tensor.requires_grad

    def on_gradient(self, tensor, call):
        def hook(gradient):
            call(gradient)

        tensor.register_hook(hook)

    def own_parameters(self, module):
        return [(name, one) for name, one in module._parameters.items() if one is not None and one.requires_grad]

    def random_states(self):
        states = [torch.get_rng_state().tolist()]
        for device in sorted(self.devices):
            of_device = getattr(getattr(torch, device, None), "get_rng_state", None)
            states.append(of_device().tolist() if of_device else None)
        return states

    def gradient(self, parameter):
        return parameter.grad


def install():
    recorder = Recorder(Torch(), torch.nn.Module.__call__, os.environ["BISECTD_ALIGN"])
    torch.nn.Module.__call__ = lambda module, *args, **kwargs: recorder(module, *args, **kwargs)
    init = torch.optim.Optimizer.__init__

    @functools.wraps(init)
    def built(self, *args, **kwargs):
        init(self, *args, **kwargs)
        own = self.step.__func__

        @functools.wraps(own)
        def step(this, *arguments, **options):
            if vars(this).get("step") is bound:  # else a learning rate schedule counts the steps in it
                del this.step
            recorder.stepping()
            return own(this, *arguments, **options)

        bound = self.step = types.MethodType(step, self)

    torch.optim.Optimizer.__init__ = built
