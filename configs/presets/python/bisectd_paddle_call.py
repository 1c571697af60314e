"""One call of an operator of PaddlePaddle with its forward, its backward or both on the CPU, in float32 at least. Whatever one
of the two passes takes from the other comes from where that one ran:

    forward alone    float32: autograd's graph is made on the CPU, so that it keeps what the CPU computed, and the backward's
                     kernel goes where the gradient arrives, to the device; where it does not (embedding), that is refused.
                     Float16 and bfloat16: the graph is made on the device, and the CPU's results are written over the device's.
    backward alone   a graph of its own, made on the CPU; the device's results are written over the CPU's before it is used.
                     What a forward keeps but does not return (the mean of layer_norm) is the CPU's.
    both             one graph on the CPU, and copies of gradients there and back.
"""
import numpy
import paddle
from paddle.utils import flatten, map_structure, pack_sequence_as

from bisectd_paddle_layers import LOW, moved

# Their forward keeps for the backward what it does not return (`intermediate` in paddle/phi/ops/yaml/ops.yaml, read at commit
# 00685cce, but for those of whole numbers), so that nobody can write over it: in float16 and bfloat16 it cannot be moved alone.
KEEPS_MORE = frozenset((
    "cudnn_lstm", "flash_attn_unpadded", "flash_attn_varlen_qkvpacked", "group_norm", "gru", "gru_unit", "huber_loss",
    "instance_norm", "layer_norm", "lstm", "rms_norm", "rnn", "rrelu", "sparse_attention", "warpctc", "warprnnt"))

# Their backward runs where their forward ran, whatever its gradient is on: in float32 it cannot be moved alone.
BACKWARD_FOLLOWS = frozenset(("embedding",))


def is_tensor(value):
    return isinstance(value, paddle.Tensor) and value._is_initialized()


def is_on_device(value):
    return is_tensor(value) and value.place.is_custom_place()


def is_mixed():
    return paddle.base.framework._dygraph_tracer()._amp_level != paddle.base.core.AmpLevel.O0


def is_low(value):
    return is_tensor(value) and value.dtype in LOW


def forward_moves_alone(operator, results):
    return operator not in (KEEPS_MORE if any(map(is_low, flatten(results))) else BACKWARD_FOLLOWS)


def tensors_of(values):
    return [one for one in flatten(values) if is_tensor(one)]


def places_of_tensors(values):
    return [is_tensor(one) for one in flatten(values)]


class OnCpu:
    """Calls run on the CPU, without mixed precision."""

    def __enter__(self):
        self.device = paddle.device.get_device()
        paddle.device.set_device("cpu")
        self.cast = paddle.amp.auto_cast(enable=False)
        self.cast.__enter__()

    def __exit__(self, *error):
        self.cast.__exit__(*error)
        paddle.device.set_device(self.device)


def raised(tensor):
    return tensor.astype(paddle.float32) if tensor.dtype in LOW else tensor


def host_value(tensor):
    """A copy on the CPU that no graph knows."""
    with paddle.no_grad():
        return raised(tensor.detach()._copy_to(paddle.CPUPlace(), True))


def device_value(tensor, dtype):
    with paddle.no_grad():
        lowered = tensor.detach().astype(dtype) if dtype in LOW else tensor.detach()
        return lowered._copy_to(paddle.framework._current_expected_place_(), True)


def write_over(tensor, value):
    """Puts numbers where those of a tensor are. What autograd kept of it is there, too, and does not see it as written to."""
    place = tensor.place
    if tensor.is_contiguous():  # else it is a view, and no kernel computed it
        at = paddle.CustomPlace(place.custom_device_type(), place.custom_device_id()) if place.is_custom_place() else paddle.CPUPlace()
        tensor.get_tensor().set(value.numpy(), at)


class Down(paddle.autograd.PyLayer):
    """A copy on the CPU; the gradient is left where it arrives, which must be the device."""

    @staticmethod
    def forward(ctx, tensor, refuse):
        ctx.refuse, ctx.dtype = refuse, tensor.dtype
        return host_value(tensor)

    @staticmethod
    def backward(ctx, gradient):
        if gradient.place.is_cpu_place():
            ctx.refuse("its backward goes to the CPU with it")
        return gradient if gradient.dtype == ctx.dtype else gradient.astype(ctx.dtype)  # Paddle before 3.3 does not


class Up(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, tensor):
        return device_value(tensor, tensor.dtype)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Call:
    """One call of an operator, with copies of what it is given as this was before the call. `refuse` is told why an operator
    cannot be moved, and does not return."""

    def __init__(self, operator, raw, args, kwargs, refuse):
        self.operator, self.raw, self.refuse = operator, raw, refuse
        self.given = [list(args), kwargs]
        self.flat = flatten(self.given)
        self.host = [host_value(one) if is_tensor(one) else one for one in self.flat]
        self.before = [one.numpy() if is_tensor(own) and own.stop_gradient else None for own, one in zip(self.flat, self.host)]
        self.may_be_low = is_mixed() or any(map(is_low, self.flat))

    def on_device(self):
        args, kwargs = self.given
        return self.raw(*args, **kwargs)

    def on_cpu(self, flat):
        args, kwargs = pack_sequence_as(self.given, flat)
        with OnCpu():
            return self.raw(*args, **kwargs)

    def paired(self, computed, places):
        """The CPU's outputs. Kernels may leave out what they have no use for: then it is not known which output is which."""
        if places_of_tensors(computed) != places:
            self.refuse("the CPU returns other outputs than the device")
        return tensors_of(computed)

    def keep_written(self, flat):
        """Running statistics, which a call writes to what it is given."""
        for own, one, was in zip(self.flat, flat, self.before):
            if was is not None and not numpy.array_equal(one.numpy(), was, equal_nan=was.dtype.kind == "f"):
                with paddle.no_grad():
                    own.set_value(one.astype(own.dtype))

    def forward_moved(self):
        if self.may_be_low:
            result = self.on_device()
            if any(map(is_low, flatten(result))):
                return self.written_over(result)
        host = [Down.apply(one, self.refuse) if is_tensor(one) and not one.stop_gradient else other
                for one, other in zip(self.flat, self.host)]
        result = self.on_cpu(host)
        self.keep_written(host)
        return map_structure(lambda one: Up.apply(one) if is_tensor(one) else one, result)

    def written_over(self, result):
        if self.operator in KEEPS_MORE:
            self.refuse("its backward needs more of its forward than it returns")
        with paddle.no_grad():
            computed = self.on_cpu(self.host)
        self.keep_written(self.host)
        for own, one in zip(tensors_of(result), self.paired(computed, places_of_tensors(result))):
            write_over(own, device_value(one, own.dtype))
        return result

    def backward_moved(self, tell):
        wanted = [index for index, one in enumerate(self.flat) if is_tensor(one) and not one.stop_gradient]
        if not wanted or not paddle.is_grad_enabled():
            return self.on_device()
        made = {}
        results = Backward.apply(self, wanted, made, tell, *(self.flat[index] for index in wanted))
        results = iter(results if isinstance(results, (list, tuple)) else [results])
        return map_structure(lambda one: next(results) if is_tensor(one) else one, made.pop("result"))

    def gradients(self, wanted, results, places, arrived):
        leaves = [one.detach() if is_tensor(one) else one for one in self.host]
        for index in wanted:
            leaves[index].stop_gradient = False
        with paddle.enable_grad():
            computed = self.paired(self.on_cpu(leaves), places)
        for one, own in zip(computed, results):
            write_over(one, own)
        pairs = [(one, host_value(gradient)) for one, gradient in zip(computed, arrived)
                 if gradient is not None and is_tensor(gradient) and not one.stop_gradient]
        with OnCpu():  # nothing to do where no result depends on what was given
            if pairs:
                paddle.autograd.backward(*map(list, zip(*pairs)))
        return tuple(device_value(paddle.zeros_like(leaves[index]) if leaves[index].grad is None else leaves[index].grad,
                                  self.flat[index].dtype) for index in wanted)

    def both_moved(self):
        like = None
        if self.may_be_low:
            with paddle.no_grad():
                like = self.on_device()
        host = [raised(moved(one, paddle.CPUPlace())) if is_tensor(one) and not one.stop_gradient else other
                for one, other in zip(self.flat, self.host)]
        result = self.on_cpu(host)
        self.keep_written(host)
        like = result if like is None else like
        self.paired(result, places_of_tensors(like))
        dtypes = iter(one.dtype for one in tensors_of(like))
        return map_structure(lambda one: up(one, next(dtypes)) if is_tensor(one) else one, result)


def up(tensor, dtype):
    tensor = tensor.astype(dtype) if dtype in LOW and tensor.dtype != dtype else tensor
    return moved(tensor, paddle.framework._current_expected_place_())


class Backward(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, call, wanted, made, tell, *tensors):
        made["result"] = call.on_device()
        results = tensors_of(made["result"])
        ctx.call, ctx.wanted, ctx.tell = call, wanted, tell
        ctx.results, ctx.places = [host_value(one) for one in results], places_of_tensors(made["result"])
        return tuple(results)

    @staticmethod
    def backward(ctx, *gradients):
        ctx.tell()
        return ctx.call.gradients(ctx.wanted, ctx.results, ctx.places, gradients)
