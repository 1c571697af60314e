"""Names the first operator that makes an inf or a nan of finite numbers, and ends the training there.

PyTorch's own anomaly mode (torch.autograd.set_detect_anomaly) sees nan in the backward only, and torch_npu's overflow flag
(torch_npu/csrc/core/OverflowUtils.h) names no operator; so every operator is looked at by a TorchDispatchMode, which waits for the
device each time. What was given an inf or a nan, in a tensor or as a number (a mask filled with -inf), made none.

Read from the environment:

    BISECTD_TORCH_FIRST_NOT_FINITE   1
    BISECTD_TORCH_DEVICE             the device's type in this PyTorch (npu)

Knows nothing of the rest of bisectd.
"""
import math
import os
import threading

from bisectd_torch_operators import device_type, dtype_of, hold_others, name_of, say

# They write nothing that was computed, or look for what is looked for here.
LEFT_OUT = ("empty", "new_empty", "resize_", "set_", "_amp_", "isnan", "isinf", "isfinite", "copy_", "_to_copy")


def is_finite(value):
    import torch

    if isinstance(value, torch.Tensor):
        numbers = value.detach()
        if not (numbers.is_floating_point() and numbers.device.type == device_type() and numbers.numel()):
            return True
        return (numbers * 0).sum().item() == 0  # of an inf or a nan it is nan; on the device, which sends one number
    return not isinstance(value, float) or math.isfinite(value)


def looking():
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten

    own = threading.local()  # what is_finite() calls comes here, too

    class Looking(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if hold_others(types):
                return NotImplemented
            kwargs = kwargs or {}
            if getattr(own, "looks", False) or func._schema.name.split("::")[1].startswith(LEFT_OUT):
                return func(*args, **kwargs)
            given = tree_flatten((args, kwargs))[0]
            was_finite = self.all_finite(given)  # before it runs: it may write to what it is given
            result = func(*args, **kwargs)
            if was_finite and not self.all_finite([*tree_flatten(result)[0], *given]):
                say(f"first inf or nan: {name_of(func)} ({dtype_of(result)})")
                os._exit(3)
            return result

        def all_finite(self, values):
            own.looks = True
            try:
                return all(is_finite(value) for value in values)
            finally:
                own.looks = False

    return Looking()


def install():
    install.mode = looking()  # for the whole training
    install.mode.__enter__()
