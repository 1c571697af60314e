"""What bisectd_perturb must know of MindSpore. A step may run as one graph, in which nothing of Python is called: then its first call counts for
the optimizers' first step."""
import functools

import mindspore
import numpy
from mindspore.common import api
from mindspore.experimental import optim
from mindspore.nn import Cell, Optimizer

from bisectd_perturb import begin

OPTIMIZERS = Optimizer, optim.Optimizer
DTYPES = {mindspore.float16: "float16", mindspore.bfloat16: "bfloat16", mindspore.float32: "float32", mindspore.float64: "float64"}


class MindSpore:
    def parameters(self, root):
        return root.trainable_params()

    def owned(self, optimizer):
        return list(optimizer.parameters)

    def dtype(self, parameter):
        return DTYPES.get(parameter.dtype)

    def get(self, parameter):
        if parameter.dtype not in DTYPES:
            return None
        values = parameter.asnumpy()
        return values.view("uint16") if values.itemsize == 2 else values.copy()

    def put(self, parameter, values, _):
        dtype = self.dtype(parameter)
        if dtype == "bfloat16":  # by the upper half of float32
            values = (values.astype("uint32") << 16).view("float32")
        elif dtype == "float16":
            values = values.view("float16")
        parameter.set_data(mindspore.Tensor(numpy.ascontiguousarray(values), parameter.dtype))


class Calls:
    """Told of calls of cells and of compiled functions until every optimizer made a step."""

    def __init__(self, perturbation):
        self.perturbation = perturbation
        compiled = getattr(api, "_JitExecutor", None) or api._MindsporeFunctionExecutor  # as older versions call it; tried with 2.7.1 alone
        for optimizer in OPTIMIZERS:
            tell(optimizer, "__init__", after=perturbation.built)
        tell(Cell, "__call__", before=self.cell)
        tell(compiled, "__call__", before=self.graph)

    def cell(self, cell):
        waiting = self.perturbation.optimizers
        if isinstance(cell, OPTIMIZERS):
            if any(one is cell for one in waiting):
                self.perturbation.stepping(cell)
        elif waiting and mindspore.get_context("mode") == mindspore.GRAPH_MODE:
            if self.perturbation.pending() & {id(one) for one in cell.trainable_params()}:
                self.graph(cell)
        elif waiting and api._pynative_executor.requires_grad():
            self.perturbation.called(cell)

    def graph(self, _):
        for optimizer in list(self.perturbation.optimizers):
            self.perturbation.stepping(optimizer)


def tell(owner, name, before=lambda this: None, after=lambda this: None):
    own = getattr(owner, name)

    @functools.wraps(own)
    def told(this, *args, **kwargs):
        before(this)
        result = own(this, *args, **kwargs)
        after(this)
        return result

    setattr(owner, name, told)


def install():
    begin(MindSpore(), Calls)
