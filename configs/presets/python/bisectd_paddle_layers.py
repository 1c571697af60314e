"""What bisectd_modules must know of PaddlePaddle. A moved layer computes in float32 where it would have in float16 or
bfloat16; float32 stays, because not every kernel of the CPU has float64. Read from the environment:

    BISECTD_PADDLE_CPU_LAYERS    names, comma-separated: backbone.conv1.bn
    BISECTD_PADDLE_LIST_LAYERS   1: print the layers that are called, one line each
    BISECTD_PADDLE_LIST_OPS_OF   a layer: let FLAGS_benchmark print its operators only, forward and backward
"""
import os
import sys

import numpy
import paddle
from paddle.utils import flatten, map_structure, pack_sequence_as

from bisectd_modules import Framework, Modules

LOW = (paddle.float16, paddle.bfloat16)


class Move(paddle.autograd.PyLayer):
    """A copy on another device, whose gradient goes the way back; Paddle's own copies end the graph."""

    @staticmethod
    def forward(ctx, tensor, place):
        ctx.place = tensor.place
        return tensor._copy_to(place, True)

    @staticmethod
    def backward(ctx, gradient):
        return gradient._copy_to(ctx.place, True)


def moved(tensor, place):
    if tensor.place == place or not tensor._is_initialized():
        return tensor
    return Move.apply(tensor, place) if tensor.is_floating_point() else tensor._copy_to(place, True)


class Paddle(Framework):
    kind = "layer"
    tensor, module, parts = paddle.Tensor, paddle.nn.Layer, "_sub_layers"
    sequential = paddle.nn.Sequential
    dropouts = paddle.nn.Dropout, paddle.nn.Dropout2D, paddle.nn.Dropout3D, paddle.nn.AlphaDropout
    map_tree = staticmethod(map_structure)

    def __init__(self):
        self.device = None  # where the training runs

    def say(self, text):
        sys.stdout.write(f"bisectd-paddle: {text}\n")  # one write of a whole line: the lines of workers must not mix
        sys.stdout.flush()

    def named(self, root):
        return root.named_sublayers()

    def with_inner(self, layer):
        return layer.sublayers(include_self=True)

    def dtypes(self, layer, arguments):
        given = [value for value in flatten(arguments) if isinstance(value, paddle.Tensor)]
        floating = [t.dtype for t in [*given, *layer.parameters()] if t.is_floating_point()]
        high = [dtype for dtype in floating if dtype not in LOW]
        return high[0] if high else paddle.float32, floating[0] if floating else None

    def down(self, tensor, computed, _):
        tensor = moved(tensor, paddle.CPUPlace())
        return tensor.astype(computed) if tensor.is_floating_point() and tensor.dtype != computed else tensor

    def up(self, tensor, computed, returned):
        tensor = tensor.astype(returned) if tensor.dtype == computed and returned not in (None, computed) else tensor
        return moved(tensor, paddle.framework._current_expected_place_())

    def write(self, buffer, value):
        with paddle.no_grad():
            buffer.set_value(value.astype(buffer.dtype))

    def equal(self, one, other):
        return one is other or numpy.array_equal(one.numpy(), other.numpy())

    def random_state(self):
        # Without what tells one copy of the state from another.
        return str(paddle.base.core.default_cpu_generator().get_state()).split()[4:]

    def random_states(self):
        return self.random_state(), [str(state).split()[4:] for state in paddle.get_rng_state()]

    def enter_cpu(self):
        # Tensors that the layer makes have no other place to go by.
        self.device = paddle.device.get_device()
        paddle.device.set_device("cpu")

    def leave_cpu(self):
        paddle.device.set_device(self.device)


class OperatorsOf:
    """Lets FLAGS_benchmark print what one layer uses: runs it once more for itself when it is first called."""

    def __init__(self, name, modules):
        self.name, self.modules, self.call = name, modules, modules.call
        modules.call = self
        paddle.set_flags({"FLAGS_benchmark": False})

    def __call__(self, layer, *args, **kwargs):
        if self.modules.names.of(layer) == self.name:
            self.modules.call = self.call
            paddle.set_flags({"FLAGS_benchmark": True})
            self.run_alone(layer, args, kwargs)
            paddle.set_flags({"FLAGS_benchmark": False})
        return self.call(layer, *args, **kwargs)

    def run_alone(self, layer, args, kwargs):
        values = flatten((args, kwargs))
        values = [one.detach() if isinstance(one, paddle.Tensor) else one for one in values]
        sources = [one for one in values if isinstance(one, paddle.Tensor) and one.is_floating_point()]
        for one in sources:
            one.stop_gradient = False
        args, kwargs = pack_sequence_as((args, kwargs), values)
        results = [one for one in flatten(self.call(layer, *args, **kwargs))
                   if isinstance(one, paddle.Tensor) and not one.stop_gradient]
        sources += [one for one in layer.parameters() if not one.stop_gradient]
        paddle.grad(results, sources, allow_unused=True)


def install():
    wanted = [name for name in os.environ.get("BISECTD_PADDLE_CPU_LAYERS", "").split(",") if name]
    modules = Modules(Paddle(), paddle.nn.Layer.__call__, wanted, os.environ.get("BISECTD_PADDLE_LIST_LAYERS") == "1")
    if os.environ.get("BISECTD_PADDLE_LIST_OPS_OF"):
        OperatorsOf(os.environ["BISECTD_PADDLE_LIST_OPS_OF"], modules)
    paddle.nn.Layer.__call__ = lambda layer, *args, **kwargs: modules(layer, *args, **kwargs)
