"""Sends the listed ATen operators to the CPU, in a higher precision, forward and backward; says which one it moved.

For every listed operator a kernel of ours is put under the device's dispatch key (torch.library), so only listed ones
pay. With an empty list nothing is installed. Read from the environment, so that no training script changes:

    BISECTD_TORCH_CPU_OPS    names, comma-separated: gelu, gelu_backward, add.Tensor; without a dot every overload
    BISECTD_TORCH_LIST_OPS   1: print the operators that run on the device, one line at the first call of each
    BISECTD_TORCH_DEVICE     the device's type in this PyTorch (npu)
    BISECTD_TORCH_AFTER      the module that brings the device's kernels (torch_npu); ours are put over its
    BISECTD_TORCH_SET_NAME   1 or 0: a setting that torch_npu takes as a call, made after its import (SETTINGS below)
    BISECTD_TORCH_PRECISION  higher (float16, bfloat16 -> float32 -> float64) or same

An operator that cannot be moved ends the training with a line that says why: then the trial says nothing of guilt.
Knows nothing of the rest of bisectd.
"""
import os
import sys
import threading

KEYS = {"cuda": "CUDA", "xpu": "XPU", "hpu": "HPU", "mps": "MPS"}  # every other device is out of tree: PrivateUse1
RANDOM = ("rand", "bernoulli", "dropout", "multinomial", "normal_", "uniform_", "exponential_", "geometric_", "cauchy_")


class CannotMove(Exception):
    pass


def say(text):
    # One write of a whole line: the lines of workers must not mix.
    sys.stdout.write(f"bisectd-torch: {text}\n")
    sys.stdout.flush()


def wanted():
    return [name for name in os.environ.get("BISECTD_TORCH_CPU_OPS", "").split(",") if name]


def device_type():
    return os.environ.get("BISECTD_TORCH_DEVICE", "npu")


def overloads_of(name):
    import torch

    packet_name, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, packet_name, None)
    if packet is None:
        raise CannotMove("there is no such operator")
    chosen = [overload] if overload else packet.overloads()
    if overload and overload not in packet.overloads():
        raise CannotMove(f"it has no overload {overload}; there are {', '.join(packet.overloads())}")
    return [getattr(packet, one) for one in chosen]


def is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


def check_can_move(op):
    name = op._schema.name.split("::")[1]
    if any(word in name for word in RANDOM):
        raise CannotMove("it draws random numbers, and the CPU would draw others")
    if not any("Tensor" in str(value.type) for value in op._schema.returns):
        raise CannotMove("it returns no tensor")
    for value in op._schema.returns:
        if value.alias_info is not None and not value.alias_info.is_write:
            raise CannotMove("it returns a view, so there is nothing to compute")


def higher(dtype):
    import torch

    if os.environ.get("BISECTD_TORCH_PRECISION", "higher") == "same":
        return dtype
    return {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}.get(dtype, dtype)


class Mover:
    """The kernel that stands in for one overload."""

    def __init__(self, op, name):
        self.op, self.name = op, name
        self.result_dtypes = {}  # by the arguments' dtypes: what the operator itself would return
        self.said = set()

    def __call__(self, *args, **kwargs):
        import torch
        from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

        tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
        device = next((t.device for t in tensors if t.device.type == device_type()), torch.device(device_type()))
        floating = [t.dtype for t in tensors if t.dtype.is_floating_point]
        # One precision for all: kernels refuse a mixture of float32 and float64.
        target = higher(max(floating, key=lambda dtype: torch.finfo(dtype).bits)) if floating else None
        self.say_once(tensors)

        def down(value, dtype=target):
            if isinstance(value, torch.Tensor):
                host = value.detach().to("cpu")
                return host.to(dtype) if dtype and host.dtype.is_floating_point else host
            if isinstance(value, torch.device):
                return torch.device("cpu")
            return dtype if dtype and isinstance(value, torch.dtype) and value.is_floating_point else value

        flat, spec = tree_flatten((args, kwargs))
        moved = [down(value) for value in flat]
        host_args, host_kwargs = tree_unflatten(moved, spec)
        result = self.op(*host_args, **host_kwargs)
        written = self.copy_back(args, kwargs, host_args, host_kwargs)
        if written:
            return written[0] if len(self.op._schema.returns) == 1 else tuple(written[:len(self.op._schema.returns)]) or None
        dtypes = iter(self.dtypes_of_result(tensors, args, kwargs, result, target))

        def up(value):
            return value.to(next(dtypes)).to(device) if isinstance(value, torch.Tensor) else value

        return tree_map(up, result)

    def say_once(self, tensors):
        dtype = next((str(t.dtype).split(".")[1] for t in tensors), "none")
        if dtype not in self.said:
            self.said.add(dtype)
            say(f"moved {self.name} ({dtype}) to the CPU")

    def copy_back(self, args, kwargs, host_args, host_kwargs):
        """Puts what the operator wrote into the tensors it was given; these, in the order of the schema."""
        written = []
        for index, argument in enumerate(self.op._schema.arguments):
            if not is_written(argument):
                continue
            given = args[index] if index < len(args) else kwargs.get(argument.name)
            host = host_args[index] if index < len(args) else host_kwargs.get(argument.name)
            for to, value in zip(given, host) if isinstance(given, (list, tuple)) else [(given, host)]:
                to.copy_(value.to(to.dtype))
            written.append(given)
        return written

    def dtypes_of_result(self, tensors, args, kwargs, result, target):
        import torch
        from torch.utils._pytree import tree_flatten, tree_map

        key = tuple(t.dtype for t in tensors)
        known = self.result_dtypes.get(key)
        if known is None:
            if target is None or target in key:
                known = [t.dtype for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)]
            else:
                known = self.measured_dtypes(args, kwargs, result, key)
            self.result_dtypes[key] = known
        return known

    def measured_dtypes(self, args, kwargs, result, key):
        """What the CPU returns in the arguments' own dtypes; where it has no such kernel, the first floating dtype."""
        import torch
        from torch.utils._pytree import tree_flatten, tree_map

        def plain(value):
            if isinstance(value, torch.Tensor):
                return value.detach().to("cpu")
            return torch.device("cpu") if isinstance(value, torch.device) else value

        flat = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)]
        try:
            own = self.op(*tree_map(plain, args), **tree_map(plain, kwargs))
            return [t.dtype for t in tree_flatten(own)[0] if isinstance(t, torch.Tensor)]
        except RuntimeError:
            first = next(dtype for dtype in key if dtype.is_floating_point)
            return [first if t.dtype.is_floating_point else t.dtype for t in flat]


def move(names):
    """Puts kernels of ours under the device's key; the library must live as long as the process."""
    import torch

    key = KEYS.get(device_type(), "PrivateUse1")
    library = torch.library.Library("aten", "IMPL")
    for name in names:
        try:
            movable = [op for op in overloads_of(name) if has_kernel(op, key)]
            if not movable:
                raise CannotMove("it is made of other operators, which can be moved")
            for op in movable:
                check_can_move(op)
                suffix = "" if op._overloadname == "default" else "." + op._overloadname
                library.impl(op._schema.name.split("::")[1] + suffix, Mover(op, name), key)
        except CannotMove as why:
            say(f"cannot move {name}: {why}")
            os._exit(3)
    move.library = library


def has_kernel(op, key):
    """False for operators that are made of others on every device, and for overloads of Python numbers alone."""
    import torch

    has = torch._C._dispatch_has_kernel_for_dispatch_key
    full = op._schema.name + ("." + op._schema.overload_name if op._schema.overload_name else "")
    try:
        return not has(full, "CompositeImplicitAutograd") or has(full, key)
    except RuntimeError:
        return False


def list_operators():
    """Prints the operators that run on the device, as they come, in the forward and in autograd's threads."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten

    seen, lock = set(), threading.Lock()

    class Listing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            packet, overload = func._schema.name.split("::")[-1], func._overloadname
            name = packet if overload == "default" else f"{packet}.{overload}"
            result = func(*args, **kwargs)
            if name not in seen and can_be_moved(func):
                values = tree_flatten((args, kwargs, result))[0]
                if any(isinstance(v, torch.Tensor) and v.device.type == device_type() for v in values):
                    with lock:
                        seen.add(name)
                        say(f"ran {name} on the device")
            return result

    list_operators.mode = Listing()
    list_operators.mode.__enter__()


def can_be_moved(op):
    try:
        check_can_move(op)
        return op._schema.name.startswith("aten::") and not op._schema.name.endswith(("copy_", "_to_copy"))
    except CannotMove:
        return False


SETTINGS = {
    "conv_allow_hf32": lambda torch, on: setattr(torch.npu.conv, "allow_hf32", on),
    "matmul_allow_hf32": lambda torch, on: setattr(torch.npu.matmul, "allow_hf32", on),
    "allow_internal_format": lambda torch, on: setattr(torch.npu.config, "allow_internal_format", on),
    "jit_compile": lambda torch, on: torch.npu.set_compile_mode(jit_compile=on),
    "deterministic_algorithms": lambda torch, on: torch.use_deterministic_algorithms(on),
}


def apply_settings():
    import torch

    for variable, value in os.environ.items():
        if variable.startswith("BISECTD_TORCH_SET_"):
            name = variable.removeprefix("BISECTD_TORCH_SET_")
            SETTINGS[name](torch, value == "1")
            say(f"set {name} to {value}")


def install():
    apply_settings()
    names = wanted()
    if names:
        move(names)
    if os.environ.get("BISECTD_TORCH_LIST_OPS") == "1":
        list_operators()
