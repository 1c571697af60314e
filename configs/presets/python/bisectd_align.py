"""Writes down what the modules of a model compute in one training step: outputs, gradients, parameters. Knows no framework:
what one must be able to do is said by the methods that `Recorder` calls on it (bisectd_align_torch, bisectd_align_paddle).
Read from the environment:

    BISECTD_ALIGN   file to write; it appears when the step is whole, just before the optimizer's first step

The file has one JSON object a line. Of a tensor: shape, dtype, smallest, largest, mean and norm of its elements, the share of zeros, how
many are not finite, and the elements at up to SAMPLE places that follow from their number alone, so that both sides show the same
ones. A tensor that passes from module to module is one `value`. Everything is computed on the host, by NumPy: the device is
what is doubted. Dropouts pass everything on: two devices never draw alike. Modules are named as those that can be moved
(bisectd_modules), and only their first MOST_CALLS calls are written down.
"""
import json
import os
import sys
import threading

import numpy

from bisectd_modules import Names

SAMPLE = 128    # 1.5 kB a tensor; the mean of so many relative errors is known to a tenth of itself
MOST_CALLS = 4  # of one module: a module in a loop says nothing new in its hundredth turn
RANKS = "RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK"


def digits(number):
    number = float(number)
    return float(f"{number:.7g}") if numpy.isfinite(number) else None


def places(count):
    """Where the sample of an array of `count` elements is taken."""
    if count <= SAMPLE:
        return numpy.arange(count)
    return numpy.sort(numpy.random.default_rng(count).choice(count, SAMPLE, replace=False, shuffle=False))


def described(values, dtype):
    """`values`: an array of numbers on the host."""
    flat = numpy.ascontiguousarray(values).reshape(-1).astype(numpy.float64)
    finite = flat[numpy.isfinite(flat)]
    some = finite if finite.size else numpy.zeros(1)
    return {"shape": list(values.shape), "dtype": dtype, "min": digits(some.min()), "max": digits(some.max()),
            "mean": digits(some.mean()), "norm": digits(numpy.sqrt(numpy.square(some).sum())),
            "zeros": digits((flat == 0).mean()) if flat.size else 0.0, "nonfinite": int(flat.size - finite.size),
            "sample": [digits(one) for one in flat[places(flat.size)]]}


class Recorder:
    """`framework` has, beside what a Framework of bisectd_modules has: is_training(module), numbers(tensor), an array on the
    host; dtype(tensor); version(tensor), another one after it was written to; wants_gradient(tensor); on_gradient(tensor, call);
    flat(values); own_parameters(module), (name, tensor) of those that are trained; gradient(parameter); random_states(); title."""

    def __init__(self, framework, call, file):
        self.framework, self.call, self.file = framework, call, file
        self.names = Names(framework)
        self.lines = [{"bisectd": "align", "version": 1, "framework": framework.title}]
        self.values = 0
        self.counts = {}             # module's name -> calls so far
        self.outermost = []          # modules that no other one called
        self.under_way = threading.local()
        self.lock = threading.RLock()
        self.done = False

    def __call__(self, module, *args, **kwargs):
        if self.done or not self.framework.is_training(module):
            return self.call(module, *args, **kwargs)
        callers = vars(self.under_way).setdefault("names", [])
        if not callers and not any(one is module for one in self.outermost):
            self.outermost.append(module)
        name = self.names.of(module)
        if self.framework.is_dropout(module):
            module.p = 0.0
        with self.lock:
            number = self.counts[name] = self.counts.get(name, 0) + 1
        inputs = self.noted((args, kwargs)) if number <= MOST_CALLS else []
        callers.append(name)
        drawn = self.framework.random_states()
        try:
            result = self.call(module, *args, **kwargs)
        finally:
            callers.pop()
        if number <= MOST_CALLS and not self.done:
            self.write({"call": name, "number": number, "class": type(module).__name__,
                        "inside": callers[-1] if callers else None, "draws": self.framework.random_states() != drawn,
                        "in": inputs, "out": self.noted(result)})
        return result

    def noted(self, values):
        return [self.note(one) for one in self.framework.flat(values) if isinstance(one, self.framework.tensor)]

    def note(self, tensor):
        """The number of this tensor's value, which is written down when it is first seen."""
        version = self.framework.version(tensor)
        number, seen = getattr(tensor, "_bisectd_value", (None, None))
        if number is not None and seen == version:
            return number
        number, self.values = self.values, self.values + 1
        self.write({"value": number, **self.describe(tensor)})
        try:
            tensor._bisectd_value = number, version
        except AttributeError:
            pass  # then it is written down once more
        if self.framework.wants_gradient(tensor):
            arrived = []
            self.framework.on_gradient(tensor, lambda gradient: self.arrived(number, gradient, arrived))
        return number

    def arrived(self, number, gradient, before):
        if gradient is not None and not self.done and not before:
            before.append(True)
            self.write({"gradient": number, **self.describe(gradient)})

    def describe(self, tensor):
        return described(self.framework.numbers(tensor), self.framework.dtype(tensor))

    def write(self, line):
        with self.lock:
            self.lines.append(line)

    def stepping(self):
        """The optimizer is about to make its first step."""
        if self.done or not self.counts:
            return
        self.done = True
        seen = set()
        for root in self.outermost:
            for module in self.framework.with_inner(root):
                for name, parameter in self.framework.own_parameters(module):
                    if id(parameter) not in seen:
                        seen.add(id(parameter))
                        self.write(self.of_parameter(self.names.of(module), name, parameter))
        # A loss scaler that skipped the first steps shows in how often the model was called.
        self.write({"end": True, "passes": self.counts[self.names.of(self.outermost[0])]})
        if all(os.environ.get(rank, "0") in ("", "0") for rank in RANKS):
            self.save()

    def of_parameter(self, module, name, parameter):
        gradient = self.framework.gradient(parameter)
        return {"parameter": f"{module}.{name}", "module": module, "value": self.describe(parameter),
                "gradient": None if gradient is None else self.describe(gradient)}

    def save(self):
        unfinished = f"{self.file}.{os.getpid()}"
        with open(unfinished, "w", encoding="utf-8") as file:
            for line in self.lines:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        os.replace(unfinished, self.file)  # it is whole, or not there
        sys.stderr.write(f"bisectd: wrote down one training step: {self.file}\n")
        sys.stderr.flush()
