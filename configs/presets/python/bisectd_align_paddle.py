"""What bisectd_align must know of PaddlePaddle, dynamic graphs."""
import os

import paddle
from paddle.utils import flatten

from bisectd_align import Recorder
from bisectd_modules import Framework


class Paddle(Framework):
    tensor, module, parts = paddle.Tensor, paddle.nn.Layer, "_sub_layers"
    sequential = paddle.nn.Sequential
    dropouts = paddle.nn.Dropout, paddle.nn.Dropout2D, paddle.nn.Dropout3D, paddle.nn.AlphaDropout
    title = f"paddle {paddle.__version__}"
    flat = staticmethod(flatten)

    def named(self, root):
        return root.named_sublayers()

    def with_inner(self, layer):
        return layer.sublayers(include_self=True)

    def is_training(self, layer):
        return layer.training and paddle.is_grad_enabled() and paddle.in_dynamic_mode()

    def numbers(self, tensor):
        tensor = tensor.detach()
        return (tensor.astype("float32") if tensor.dtype == paddle.bfloat16 else tensor).numpy()

    def dtype(self, tensor):
        return str(tensor.dtype).rpartition(".")[2]

    def version(self, tensor):
        return tensor.inplace_version

    def wants_gradient(self, tensor):
        return not tensor.stop_gradient

    def on_gradient(self, tensor, call):
        def hook(gradient):
            call(gradient)

        tensor.register_hook(hook)

    def own_parameters(self, layer):
        return [(name, one) for name, one in layer._parameters.items() if one is not None and not one.stop_gradient]

    def random_states(self):
        # Without what tells one copy of a state from another.
        states = paddle.base.core.default_cpu_generator().get_state(), *paddle.get_rng_state()
        return [str(state).split()[4:] for state in states]

    def gradient(self, parameter):
        return parameter.grad


def install():
    recorder = Recorder(Paddle(), paddle.nn.Layer.__call__, os.environ["BISECTD_ALIGN"])
    paddle.nn.Layer.__call__ = lambda layer, *args, **kwargs: recorder(layer, *args, **kwargs)
    apply = paddle.optimizer.Optimizer._apply_optimize  # what both step() and minimize() come to

    def applied(*args, **kwargs):
        recorder.stepping()
        return apply(*args, **kwargs)

    paddle.optimizer.Optimizer._apply_optimize = applied
