"""What bisectd_perturb must know of PaddlePaddle, dynamic graphs."""
import functools

import paddle

from bisectd_perturb import begin

BITS16 = {paddle.float16: "float16", paddle.bfloat16: "bfloat16"}
DTYPES = {paddle.float32: "float32", paddle.float64: "float64", **BITS16}


class Paddle:
    def parameters(self, root):
        return [one for one in root.parameters() if not one.stop_gradient]

    def owned(self, optimizer):
        owned = []
        for one in optimizer._parameter_list or []:
            owned += one["params"] if isinstance(one, dict) else [one]
        return [one for one in owned if isinstance(one, paddle.Tensor)]  # a static graph's are variables

    def dtype(self, parameter):
        return DTYPES.get(parameter.dtype)

    def get(self, parameter):
        if parameter.dtype not in DTYPES or not parameter._is_initialized():
            return None
        values = parameter.numpy()
        return values.view("uint16").copy() if parameter.dtype in BITS16 else values

    def put(self, parameter, values, optimizers):
        masters = [optimizer._master_weights[parameter.name] for optimizer in optimizers
                   if parameter.name in getattr(optimizer, "_master_weights", {})]
        if parameter.dtype == paddle.float16:
            values = values.view("float16")  # bfloat16 comes and goes as uint16
        with paddle.no_grad():
            before = parameter.astype("float32").numpy()
            parameter.set_value(values)
            for master in masters:  # of a checkpoint; else they are made from the parameters in the first step
                master.set_value(master.numpy() + parameter.astype("float32").numpy() - before)


class Hooks:
    """Calls that tell the perturbation what happens; each is taken away once it has done its work."""

    def __init__(self, perturbation):
        self.perturbation, self.own_call, self.inner = perturbation, None, None
        for kind in (paddle.optimizer.Optimizer, paddle.optimizer.AdamW):  # which does not call the former's
            kind.__init__ = self.telling(kind.__init__)

    def telling(self, init):
        @functools.wraps(init)
        def built(optimizer, *args, **kwargs):
            init(optimizer, *args, **kwargs)
            self.built(optimizer)
        return built

    def built(self, optimizer):
        if not paddle.in_dynamic_mode() or "_apply_optimize" in vars(optimizer):
            return
        self.perturbation.built(optimizer)
        apply = optimizer._apply_optimize  # what both step() and minimize() come to

        def first_apply(*args, **kwargs):
            vars(optimizer).pop("_apply_optimize", None)
            self.stepping(optimizer)
            return apply(*args, **kwargs)

        optimizer._apply_optimize = first_apply
        self.watch_calls()

    def stepping(self, optimizer):
        self.perturbation.stepping(optimizer)
        if not self.perturbation.optimizers:
            self.remove()

    def watch_calls(self):
        if self.own_call is not None:
            return
        inner = paddle.nn.Layer.__call__

        def call(layer, *args, **kwargs):
            if self.own_call is call and layer.training and paddle.is_grad_enabled() and self.perturbation.called(layer):
                self.remove()
            return inner(layer, *args, **kwargs)

        self.own_call, self.inner = call, inner
        paddle.nn.Layer.__call__ = call

    def remove(self):
        if paddle.nn.Layer.__call__ is self.own_call:  # else another one wraps it, and it only passes calls on
            paddle.nn.Layer.__call__ = self.inner
        self.own_call = None


def install():
    begin(Paddle(), Hooks)
