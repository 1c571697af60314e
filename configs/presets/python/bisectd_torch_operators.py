"""What this PyTorch and its device say of an operator: its overloads, its kernels, whether it can move to the CPU, and why not."""
import functools
import os
import re
import sys

# Arguments that only operators have which make, cast or copy tensors: ours would need them to copy what it computed.
OF_COPIES = {"device", "layout", "memory_format", "non_blocking"}
COPIES = re.compile(r"resize_|set_$|_unsafe_view|\w*_cast(_backward)?$")  # whose arguments do not say so
COMPOSITE_KEYS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")
CPU_KEYS = ("CPU", "CompositeExplicitAutogradNonFunctional", *COMPOSITE_KEYS)
NAMESPACES = ("aten", "npu")  # a name is looked up in this order
KEYS = {"cpu": "CPU", "cuda": "CUDA", "xpu": "XPU", "hpu": "HPU", "mps": "MPS"}  # every other device is out of tree: PrivateUse1


class CannotMove(Exception):
    pass


class NothingToMove(CannotMove):
    """There is nothing to say of it where operators are listed."""


class NoOperator(Exception):
    """This PyTorch has none of that name."""


def say(text):
    # One write of a whole line: the lines of workers must not mix. Past what stands in for stdout: a bar of rich wraps lines.
    sys.__stdout__.write(f"bisectd-torch: {text}\n")
    sys.__stdout__.flush()


def device_type():
    return os.environ.get("BISECTD_TORCH_DEVICE", "npu")


def device_key():
    return KEYS.get(device_type(), "PrivateUse1")


def overloads_of(name):
    import torch

    packet_name, _, overload = name.partition(".")
    packets = (getattr(getattr(torch.ops, namespace), packet_name, None) for namespace in NAMESPACES)
    packet = next((one for one in packets if one is not None), None)
    if packet is None:
        raise NoOperator(nearest_to(packet_name))
    chosen = [overload] if overload else packet.overloads()
    if overload and overload not in packet.overloads():
        raise NoOperator(f"of {packet_name} there are {', '.join(packet.overloads())}")
    return [getattr(packet, one) for one in chosen]


def nearest_to(name):
    import difflib

    import torch

    known = (schema.name.split("::") for schema in torch._C._jit_get_all_schemas())
    nearest = difflib.get_close_matches(name, sorted({known_name for namespace, known_name in known if namespace in NAMESPACES}), 1)
    return f"the nearest name is {nearest[0]}" if nearest else "nor one of a name like it"


def refuse(name, why):
    say(f"cannot move {name}: {why}")
    os._exit(3)


def is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


def check_can_move(op):
    import torch

    if torch.Tag.nondeterministic_seeded in op.tags and not draws_by_choice(op):
        raise CannotMove("it draws random numbers, and the CPU would draw others")
    if not any("Tensor" in str(value.type) for value in op._schema.returns) and not any(map(is_written, op._schema.arguments)):
        raise NothingToMove("it neither returns nor writes a tensor")
    packet = op._schema.name.split("::")[1]
    if COPIES.match(packet) or OF_COPIES.intersection(argument.name for argument in op._schema.arguments):
        raise NothingToMove("it only makes, casts or copies tensors, so there is nothing to compute")
    for value in op._schema.returns:
        if value.alias_info is not None and not value.alias_info.is_write:
            raise NothingToMove("it returns a view, so there is nothing to compute")
    if falls_back(op):
        raise NothingToMove("it runs on the CPU already: the device has no kernel for it")
    if has_key(op, None) and not any(has_key(op, key) for key in CPU_KEYS):
        whole = getattr(torch.ops.aten, packet[:-len("_backward")], None) if packet.endswith("_backward") else None
        with_it = f"; {name_of(whole.default)} moves with its backward" if whole and is_made_of_others(whole.default) else ""
        raise CannotMove(f"the CPU has no kernel for it, and it is not made of other operators{with_it}")


WITHOUT_DROPOUT = {"dropout_p": 0, "keep_prob": 1}  # arguments by which an operator draws no random numbers


def draws_by_choice(op):
    return any(argument.name in WITHOUT_DROPOUT for argument in op._schema.arguments)


def check_draws_nothing(op, args, kwargs):
    for place, argument in enumerate(op._schema.arguments):
        nothing = WITHOUT_DROPOUT.get(argument.name)
        if nothing is not None and (args[place] if place < len(args) else kwargs.get(argument.name, nothing)) != nothing:
            raise CannotMove("it draws random numbers where there is dropout, and the CPU would draw others")


def falls_back(op):
    """Where torch_npu has no kernel, it computes on the CPU. One that writes to what it is given, or its `out`, counts for all of
    a name: PyTorch makes the others from it."""
    import torch

    if device_type() != "npu" or any(has_key(op, key) for key in COMPOSITE_KEYS):
        return False
    name = op._schema.name.split("::")[1].rstrip("_")
    packets = [getattr(getattr(torch.ops, namespace_of(op)), one, None) for one in (name, name + "_")]
    return not any(has_key(getattr(packet, one), "PrivateUse1") for packet in packets if packet for one in packet.overloads())


def full_name(op):
    return op._schema.name + ("." + op._schema.overload_name if op._schema.overload_name else "")


def has_key(op, key):
    import torch

    # Overloads of Python numbers alone have no place among the dispatcher's kernels.
    exists = torch._C._dispatch_has_kernel(full_name(op))
    return exists and (key is None or torch._C._dispatch_has_kernel_for_dispatch_key(full_name(op), key))


def is_made_of_others(op):
    return has_key(op, "CompositeImplicitAutograd")


def has_kernel(op, key):
    return has_key(op, key) or has_key(op, None) and not is_made_of_others(op)


@functools.lru_cache(None)
def composite_key(op):
    """By which an operator is made of others, where the device has no kernel of its own for it and it can be moved: they are the
    suspects then, for the whole would take innocents with it to the CPU. None of every other operator."""
    if why_it_stays(op) != "" or has_key(op, device_key()) or any(map(is_written, op._schema.arguments)):
        return None
    return next((key for key in COMPOSITE_KEYS if has_key(op, key)), None)


def dtype_of(values):
    """Of the first tensor, as it is called in names."""
    import torch
    from torch.utils._pytree import tree_flatten

    return next((str(v.dtype).split(".")[1] for v in tree_flatten(values)[0] if isinstance(v, torch.Tensor)), "none")


def is_on_device(values):
    import torch
    from torch.utils._pytree import tree_flatten

    # A FakeTensor, of which DTensor learns its shapes, has no numbers.
    return any(isinstance(v, torch.Tensor) and v.device.type == device_type() and type(v).__name__ != "FakeTensor"
               for v in tree_flatten(values)[0])


def hold_others(types):
    """Of tensors that hold others (DTensor of FSDP): a mode that answers NotImplemented then sees what these compute in place of it."""
    return any(hasattr(one, "__tensor_flatten__") for one in types)


def name_of(op):
    packet, overload = op._schema.name.split("::")[-1], op._overloadname
    return packet if overload == "default" else f"{packet}.{overload}"


def namespace_of(op):
    return op._schema.name.split("::")[0]


@functools.lru_cache(None)
def why_it_stays(op):
    """Why an operator that runs cannot move, empty if it can. None for what is not to be spoken of: a name that means an operator of
    ATen, and what has nothing to compute that the CPU could compute in its place."""
    import torch

    namespace, packet = op._schema.name.split("::")
    if namespace in ("prim", "profiler") or namespace != "aten" and hasattr(torch.ops.aten, packet):
        return None
    try:
        check_can_move(op)
        return "" if namespace in NAMESPACES else f"it is an operator of {namespace}"
    except NothingToMove:
        return None
    except CannotMove as why:
        return str(why)
