"""Sends the listed operators to the CPU, in a higher precision, forward and backward; says which one it moved.

They are ATen's, and those that torch_npu adds in the namespace npu (npu_swiglu, npu_lstm_backward). Of the latter those can
move that the CPU computes, by a kernel of its own or by other operators. torch_npu registers nearly all of them for its device
alone (Ascend/pytorch torchnpugen/templates/CustomRegisterSchema.cpp, Ascend/op-plugin op_plugin/config/op_plugin_functions.yaml),
so most are named as what cannot move.

For every listed operator a kernel of ours is put under the device's dispatch key (torch.library), so only listed ones
pay. With an empty list nothing is installed. An operator that is made of others (layer_norm) never comes to that key: its
kernel stands above autograd, so its backward moves with it. What no kernel of ours can do is done by a TorchDispatchMode:
operators for which the device has a Python kernel, which cannot be replaced, and those to be moved for one dtype only;
then all operators pay for its look at each of them.

Read from the environment, so that no training script changes:

    BISECTD_TORCH_CPU_OPS    names, comma-separated: gelu, gelu_backward, add.Tensor; without a dot every overload;
                             gelu@float16: only calls whose first tensor has that dtype; with + those that only move together
    BISECTD_TORCH_LIST_OPS   1: print the operators that run on the device, one line at the first call of each;
                             dtypes: the same by their dtypes, gelu@float16
    BISECTD_TORCH_DEVICE     the device's type in this PyTorch (npu)
    BISECTD_TORCH_AFTER      the module that brings the device's kernels (torch_npu); ours are put over its
    BISECTD_TORCH_PRECISION  higher (float16, bfloat16 -> float32 -> float64) or same

An operator that cannot be moved ends the training with a line that says why: then the trial says nothing of guilt. One that does
not exist is left alone, as it cannot be guilty.
Knows nothing of the rest of bisectd.
"""
import atexit
import os
import threading
import time

from bisectd_torch_operators import (
    NAMESPACES, CannotMove, check_can_move, composite_key, device_key, device_type, draws_by_choice, dtype_of,
    has_kernel, hold_others, is_made_of_others, is_on_device, is_written, name_of, namespace_of, NoOperator, overloads_of, refuse, say)


def wanted():
    return [name for name in os.environ.get("BISECTD_TORCH_CPU_OPS", "").split(",") if name]


def higher(dtype):
    import torch

    if os.environ.get("BISECTD_TORCH_PRECISION", "higher") == "same":
        return dtype
    return {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.float32: torch.float64}.get(dtype, dtype)


class Mover:
    """The kernel that stands in for one overload."""

    def __init__(self, op, name):
        from bisectd_torch_attention import dropout

        self.op, self.name = op, name
        self.dropout = dropout if draws_by_choice(op) else None
        self.result_dtypes = {}  # by the arguments' dtypes: what the operator itself would return
        self.said = set()
        self.under_way = {}  # by thread

    def __call__(self, *args, **kwargs):
        import torch
        from torch.utils._pytree import tree_flatten, tree_map

        if self.under_way.get(threading.get_ident()):
            refuse(self.name, "copies between the device and the CPU need it")
        tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
        device = next((t.device for t in tensors if t.device.type == device_type()), torch.device(device_type()))
        self.say_once(tensors)
        self.under_way[threading.get_ident()] = True
        try:
            result, host_args, host_kwargs, target = self.computed_or_named(tensors, args, kwargs)
            written = self.copy_back(args, kwargs, host_args, host_kwargs)
            if written:
                return written[0] if len(self.op._schema.returns) == 1 else tuple(written[:len(self.op._schema.returns)]) or None
            dtypes = iter(self.dtypes_of_result(tensors, args, kwargs, result, target))

            def up(value):
                if not isinstance(value, torch.Tensor):
                    return value
                back = value.to(next(dtypes))
                return back if self.dropout and not back.is_floating_point() else back.to(device)  # torch_npu reads a seed on the CPU

            return tree_map(up, result)
        finally:
            del self.under_way[threading.get_ident()]
            if self.dropout:
                self.dropout.end()

    def computed_or_named(self, *call):
        """A kernel that refuses cannot take what the device gives it: then the log says which operator ended the training."""
        try:
            return self.computed(*call)
        except Exception as error:
            say(f"cannot move {self.name}: {why_not_computed(error)}")
            raise

    def computed(self, tensors, args, kwargs):
        """In the higher precision, or in its own where the CPU has no such kernel; also the arguments on the CPU, and in which it was."""
        import torch
        from torch.utils._pytree import tree_flatten, tree_unflatten

        if self.dropout:
            self.dropout.draw(self.op, args, kwargs)
        floating = [t.dtype for t in tensors if t.dtype.is_floating_point]
        # One precision for all: kernels refuse a mixture of float32 and float64.
        widest = max(floating, key=lambda dtype: torch.finfo(dtype).bits) if floating else None
        flat, spec = tree_flatten((args, kwargs))
        for target in [higher(widest), widest] if widest else [None]:
            def down(value):
                if isinstance(value, torch.Tensor):
                    host = self.on_cpu(value)
                    return host.to(target) if target and host.dtype.is_floating_point else host
                if isinstance(value, torch.device):
                    return torch.device("cpu")
                return target if target and isinstance(value, torch.dtype) and value.is_floating_point else value

            host_args, host_kwargs = tree_unflatten([down(value) for value in flat], spec)
            try:
                return self.op(*host_args, **host_kwargs), host_args, host_kwargs, target
            except RuntimeError:
                if target is widest:
                    raise

    def on_cpu(self, tensor):
        return tensor.detach().to("cpu")

    def say_once(self, tensors):
        dtype = dtype_of(tensors)
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
        from torch.utils._pytree import tree_flatten

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


def why_not_computed(error):
    if isinstance(error, CannotMove):
        return str(error)
    return f"the CPU cannot compute it: {(str(error) or type(error).__name__).splitlines()[0]}"


class WholeMover(Mover):
    """Stands in for an operator that is made of others: above autograd, so its backward is on the CPU as well."""

    def on_cpu(self, tensor):
        return tensor.to("cpu")


def move(names):
    """Puts kernels of ours under the device's keys."""
    key_of_device = device_key()
    in_mode = {}  # (operator, dtype or "" for all) -> mover, where no kernel of ours can stand
    for name in names:
        try:
            for operator, _, dtype in (part.partition("@") for part in name.split("+")):
                check_dtype(dtype)
                for op in movable_overloads(operator, key_of_device):
                    whole = is_made_of_others(op) and not moves_without_its_backward(op, key_of_device)
                    if whole and dtype:
                        raise CannotMove("it is made of other operators, and moves for all dtypes or for none")
                    # Above autograd, and where the device has a kernel of its own also below, where that one is called without.
                    keys = [(WholeMover, "Autograd" + key_of_device)] * whole + [(Mover, key_of_device)] * has_kernel(op, key_of_device)
                    for mover, key in [(kind(op, name), key) for kind, key in keys]:
                        if dtype or not put(mover, key):
                            in_mode[op, dtype] = mover
        except NoOperator as what_there_is:
            say(f"there is no operator {name} to move: {what_there_is}")
        except CannotMove as why:
            refuse(name, why)
    if in_mode:
        move.mode = moving(in_mode)
        move.mode.__enter__()


def moves_without_its_backward(op, key):
    from bisectd_torch_formulas import FORMULAS

    return has_kernel(op, key) and f"{name_of(op)}_backward" in FORMULAS


def check_dtype(name):
    import torch

    if name and not isinstance(getattr(torch, name, None), torch.dtype):
        raise CannotMove(f"there is no dtype {name}")


def put(mover, key):
    """False where the device has a Python kernel already: PyTorch lets no other one replace it."""
    try:
        install.libraries[namespace_of(mover.op)].impl(name_of(mover.op), mover, key)
    except RuntimeError:
        return False
    return True


def movable_overloads(name, key):
    """Those that run on the device and can move; of operators that are made of others, those that only return."""
    found, why_not = [], CannotMove("it is made of other operators, which can be moved, and writes to what it is given")
    for op in overloads_of(name):
        if not has_kernel(op, key) and not is_made_of_others(op):
            continue
        try:
            check_can_move(op)
        except CannotMove as why:
            why_not = why
            continue
        if has_kernel(op, key) or not any(is_written(argument) for argument in op._schema.arguments):
            found.append(op)
    if not found:
        raise why_not
    return found


def let_autograd_end():
    """Threads of autograd let go of a mode a moment after their last backward; a process that ended before would abort."""
    atexit.register(time.sleep, 0.2)


def moving(movers):
    """A mode for what no kernel of ours can stand in for; with it every operator pays."""
    let_autograd_end()
    from torch.utils._python_dispatch import TorchDispatchMode

    class Moving(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if hold_others(types):
                return NotImplemented
            kwargs = kwargs or {}
            mover = movers.get((func, "")) or movers.get((func, dtype_of((args, kwargs))))
            return (mover if mover and is_on_device((args, kwargs)) else func)(*args, **kwargs)

    return Moving()


def by_its_parts(op, mode, args, kwargs):
    """The result of an operator with a composite_key, each part of which the mode sees."""
    import torch

    try:
        with mode:
            return op._op_dk(getattr(torch._C.DispatchKey, composite_key(op)), *args, **kwargs)
    except (RuntimeError, TypeError):  # a part that is given a number as a tensor, which Python cannot pass on
        return op(*args, **kwargs)


def listing():
    """A mode in which the operators that run on the device are printed, in the forward and in autograd's threads."""
    from torch.utils._python_dispatch import TorchDispatchMode

    from bisectd_torch_first_calls import FirstCalls

    let_autograd_end()
    by_dtype = os.environ.get("BISECTD_TORCH_LIST_OPS") == "dtypes"
    first_call, seen, lock = FirstCalls(), set(), threading.Lock()

    class Listing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if hold_others(types):
                return NotImplemented
            kwargs = kwargs or {}
            name = name_of(func) + (f"@{dtype_of((args, kwargs))}" if by_dtype else "")
            if composite_key(func) and is_on_device((args, kwargs)):
                return by_its_parts(func, self, args, kwargs)
            with lock:
                first = name not in seen and is_on_device((args, kwargs))
                if first:
                    seen.add(name)
            return first_call(name, func, args, kwargs) if first else func(*args, **kwargs)

    return Listing()


def install():
    import torch

    import bisectd_torch_formulas

    # They must live as long as the process.
    install.libraries = {namespace: torch.library.Library(namespace, "IMPL") for namespace in NAMESPACES}
    bisectd_torch_formulas.install()
    names = wanted()
    if names:
        move(names)
    if os.environ.get("BISECTD_TORCH_LIST_OPS") and not os.environ.get("BISECTD_TORCH_LIST_OPS_OF"):
        install.mode = listing()  # for the whole training
        install.mode.__enter__()
