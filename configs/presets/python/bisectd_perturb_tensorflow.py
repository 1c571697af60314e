"""What bisectd_perturb must know of TensorFlow. Its optimizers see parameters where gradients are applied: eagerly at each step, in a function
while that is traced, before it runs, and in a graph of TensorFlow 1 while that is built; then the first run of a session that reaches what
applies them counts for the optimizer's first step."""
import functools

import numpy
import tensorflow
from tensorflow.python.client.session import BaseSession

from bisectd_perturb import begin

v1 = tensorflow.compat.v1
DTYPES = {tensorflow.float16: "float16", tensorflow.bfloat16: "bfloat16", tensorflow.float32: "float32", tensorflow.float64: "float64"}


class TensorFlow:
    def __init__(self):
        self.variables = {}  # id of an optimizer -> those that it trains, known once it applies gradients
        self.session = None  # that is about to make a step; None: no session

    def owned(self, optimizer):
        return self.variables.get(id(optimizer), [])

    def dtype(self, variable):
        return DTYPES.get(variable.dtype.base_dtype)

    def get(self, variable):
        if not self.dtype(variable):
            return None
        values = numpy.asarray(self.session.run(variable) if self.session else variable.numpy())
        return values.view("uint16") if values.itemsize == 2 else values

    def put(self, variable, values, _):
        if values.dtype == numpy.uint16:
            values = values.view(variable.dtype.base_dtype.as_numpy_dtype)
        if self.session:
            variable.load(values, self.session)  # adds nothing to a graph that may be closed
        else:
            variable.assign(values)


class Steps:
    """Told of optimizers, and of what applies their gradients."""

    def __init__(self, perturbation):
        self.perturbation, self.framework = perturbation, perturbation.framework
        self.told = set()   # classes
        self.applied = {}   # in a graph: operation -> optimizer
        for base in {v1.train.Optimizer, tensorflow.keras.optimizers.Optimizer, getattr(tensorflow.keras.optimizers, "legacy", v1.train).Optimizer}:
            self.tell_of(base)
        run = BaseSession.run

        @functools.wraps(run)
        def told(session, fetches, *args, **kwargs):
            if self.applied:
                self.ran(session, fetches)
            return run(session, fetches, *args, **kwargs)

        BaseSession.run = told

    def tell_of(self, base):
        init = base.__init__

        @functools.wraps(init)
        def told(this, *args, **kwargs):
            for owner in type(this).__mro__:  # some apply gradients in their own way
                if "apply_gradients" in vars(owner) and owner not in self.told:
                    self.told.add(owner)
                    owner.apply_gradients = self.telling(owner.apply_gradients)
            init(this, *args, **kwargs)
            self.perturbation.built(this)

        base.__init__ = told

    def telling(self, apply):
        @functools.wraps(apply)
        def told(this, grads_and_vars, *args, **kwargs):
            if not any(one is this for one in self.perturbation.optimizers):
                return apply(this, grads_and_vars, *args, **kwargs)
            pairs = list(grads_and_vars)
            self.framework.variables[id(this)] = [variable for _, variable in pairs]
            if v1.executing_eagerly_outside_functions():
                with tensorflow.init_scope():
                    self.perturbation.stepping(this)
                return apply(this, pairs, *args, **kwargs)
            operation = apply(this, pairs, *args, **kwargs)
            self.applied[operation] = this
            return operation

        return told

    def ran(self, session, fetches):
        waiting, seen = [], set()
        for one in tensorflow.nest.flatten(fetches, expand_composites=True):
            try:
                element = session.graph.as_graph_element(one)
            except (KeyError, TypeError, ValueError):  # no part of the graph; the session says so
                continue
            waiting.append(getattr(element, "op", element))
        while waiting:
            operation = waiting.pop()
            if operation not in seen:
                seen.add(operation)
                waiting += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
        for operation in seen & self.applied.keys():
            self.framework.session = session
            self.perturbation.stepping(self.applied.pop(operation))
            self.framework.session = None


def install():
    begin(TensorFlow(), Steps)
