"""Looks at the first call of each operator that runs on the device, while operators are listed: the CPU computes it, too, from the same
numbers. So an operator that the CPU cannot compute is no suspect, and what two operators share in a format that only the
device knows (the mask of a pooling, int8 of another shape than the CPU's indices) makes one suspect of them: they only move together.
"""
import atexit

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten

import bisectd_torch
from bisectd_torch_operators import CannotMove, check_can_move, check_draws_nothing, is_made_of_others, say, why_it_stays


def tensors_in(values):
    return [value for value in tree_flatten(values)[0] if isinstance(value, torch.Tensor)]


class Call:
    def __init__(self, name, op):
        self.name, self.op = name, op
        self.why_it_stays = why_it_stays(op)  # None where nothing is to be said of it
        self.result = None  # the CPU's

    def try_on_cpu(self, args, kwargs):
        mover = bisectd_torch.Mover(self.op, self.name)
        try:
            with torch.random.fork_rng(devices=()), torch.no_grad():
                self.result = mover.computed(tensors_in((args, kwargs)), args, kwargs)[0]
        except Exception as error:
            self.why_it_stays = self.why_it_stays or bisectd_torch.why_not_computed(error)
        finally:
            if mover.dropout:
                mover.dropout.end(moved=False)

    def say(self):
        if self.why_it_stays is None:
            return
        say(f"ran {self.name} on the device")
        if self.why_it_stays:
            say(f"cannot move {self.name}: {self.why_it_stays}")

    def why_not_alone(self):
        """Empty if it can move, with another one at least."""
        try:
            check_can_move(self.op)
        except CannotMove as why:
            return str(why)
        return ""


class FirstCalls:
    def __init__(self):
        self.private = {}  # where a tensor that only the device can read lies: it, so that nothing else comes to lie there; its maker
        self.unread = {}  # makers of such tensors that nobody has read yet, by name
        self.wholes = set()
        self.around = Around()
        self.around.__enter__()
        atexit.register(self.say_unread)

    def __call__(self, name, op, args, kwargs):
        call = Call(name, op)
        # What copies it, or makes another like it, does not read it.
        read = tensors_in((args, kwargs)) if call.why_it_stays is not None else []
        maker = next((self.private[t.data_ptr()][1] for t in read if t.data_ptr() in self.private), None)
        several = sum("Tensor" in str(value.type) and value.alias_info is None for value in op._schema.returns) > 1
        if maker:
            self.say_pair(maker, call)
        elif call.why_it_stays == "" or several:
            call.try_on_cpu(args, kwargs)
        self.say_whole(call)
        if not several and not maker:
            call.say()  # before it runs: it may be what kills the training
        try:
            result = op(*args, **kwargs)
        except Exception:
            if several:
                call.say()
            raise
        if several and not maker:
            self.look_for_private(call, result)
        return result

    def look_for_private(self, call, result):
        # In place of a gradient that nobody asked for there is none, or one without numbers.
        for ours, cpus in zip(tree_flatten(result)[0], tree_flatten(call.result)[0]):
            if not isinstance(ours, torch.Tensor) or not isinstance(cpus, torch.Tensor) or not ours.numel() or not cpus.numel():
                continue
            alike = ours.dtype == cpus.dtype or ours.dtype.is_floating_point and cpus.dtype.is_floating_point
            if ours.shape != cpus.shape or not alike:
                self.private[ours.data_ptr()] = ours, call
                self.unread[call.name] = call
        if call.name not in self.unread:
            call.say()

    def say_pair(self, maker, reader):
        self.unread.pop(maker.name, None)
        calls = maker, reader
        stays = next((call for call in calls if call.why_not_alone()), None)
        if not stays:
            say(f"ran {maker.name}+{reader.name} on the device")
            return
        for call in calls:
            if call is not stays:
                call.why_it_stays = (f"with {stays.name} it shares what only the device can read, and that one cannot move: "
                                     f"{stays.why_not_alone()}")
            call.say()

    def say_whole(self, call):
        """Where the operator cannot move, one of PyTorch's that is made of it on this device may, with its backward."""
        whole, *given = self.around.call if call.why_it_stays else (None,)
        packet = getattr(torch.ops.aten, whole, None) if whole else None
        op = packet and packet.overloads() and getattr(packet, packet.overloads()[0])
        if not op or whole in self.wholes or not is_made_of_others(op):
            return
        self.wholes.add(whole)
        if why_it_stays(op) != "":
            return
        say(f"ran {whole} on the device")
        try:
            check_draws_nothing(op, *given)
        except CannotMove as why:
            say(f"cannot move {whole}: {why}")

    def say_unread(self):
        for call in self.unread.values():
            call.say()


class Around(TorchFunctionMode):
    """The function of PyTorch that is under way in the forward, and what it was given."""

    call = None, (), {}

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before, self.call = self.call, (getattr(func, "__name__", None), args, kwargs)
        try:
            return func(*args, **kwargs)
        finally:
            self.call = before
