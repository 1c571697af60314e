"""Perturbs the parameters of a training once, by more than any rounding, so that a repeat of it is a sample of what rounding
does to its curve. Knows no framework: what one must be able to do is said by the methods that `Perturbation` calls on it
(bisectd_perturb_torch, bisectd_perturb_paddle). Read from the environment:

    BISECTD_PERTURB   a seed from 1 on; the same seed gives the same numbers on every device and in every rank

The size has one definition: in float32 and float64 a normal number times 2^-10 of the tensor's rms, which is coarser than any device
rounds: what such runs are apart is what rounding can do to this training. In float16 and bfloat16 every element moves by one unit in its
last place, up, down or not at all. Relative to the rms, not to the element, because a device's sums err so. A tensor of zeros (a bias,
the last layer of a branch that starts as the identity) has no size and stays as it is.

The moment is the latest that comes before the first forward: when a module is first called in training mode, with gradients,
after an optimizer got some of its parameters. A checkpoint that was loaded until then is perturbed, not lost. What no such call
has reached (a parameter without a module, a master copy) is perturbed before its optimizer's first step; so is everything once
more that was written over in between. The framework's own random numbers are not touched.
"""
import atexit
import os
import sys
import zlib

import numpy

SIZE = 2.0 ** -10
WATCHED = 64  # tensors whose bytes are looked at again before the first step; more would cost time, and tell no more


def perturbed(values, size, dtype, generator):
    """A changed copy of an array; those of 16 bits come and go as their bits, in uint16. None: there is nothing to change."""
    if values.dtype == numpy.uint16:
        size = values & 0x7FFF
        largest = 0x7BFF if dtype == "float16" else 0x7F7F
        # Neither to zero nor to infinity: the bits of a positive number ascend as it does.
        free = (size > 1) & (size < largest)
        moves = generator.integers(-1, 2, size=values.shape)
        changed = numpy.where(free, values.astype(numpy.int32) + moves, values).astype(numpy.uint16)
        return changed if free.any() else None
    rms = float(numpy.sqrt(numpy.mean(numpy.square(values, dtype=numpy.float64)))) if values.size else 0.0
    if rms == 0 or not numpy.isfinite(rms):
        return None
    noise = generator.standard_normal(values.shape)
    return (values + size * rms * noise).astype(values.dtype)


class Perturbation:
    """`framework` has: parameters(root), those that are trained, in order; owned(optimizer); dtype(parameter); get(parameter),
    arrays as `perturbed` takes them, None where there are no values (yet) or no such dtype; put(parameter, values, optimizers),
    which changes copies that these optimizers keep of it by as much."""

    def __init__(self, framework, seed):
        self.framework, self.seed = framework, seed
        self.optimizers = []    # built and not yet stepped
        self.done = {}          # id of a parameter -> itself, so that an id is never used twice, and its number
        self.watched = {}       # id -> what its bytes were after the perturbation
        self.counts = {}        # how -> number of parameters
        self.announced = None
        self.overwritten = False

    def built(self, optimizer):
        self.optimizers.append(optimizer)

    def pending(self):
        return {id(one) for optimizer in self.optimizers for one in self.framework.owned(optimizer)} - self.done.keys()

    def called(self, root):
        """A module is about to be called in training mode, with gradients. True: nobody need tell of further calls."""
        pending = self.pending()
        parameters = self.framework.parameters(root) if pending else []
        # All of the module's: a rank of a sharded optimizer owns a part of them, and the copies must stay the same.
        if any(id(one) in pending for one in parameters):
            for one in parameters:
                self.perturb(one, self.optimizers)
        return not self.pending()

    def stepping(self, optimizer):
        """The optimizer is about to make its first step."""
        self.optimizers = [one for one in self.optimizers if one is not optimizer]
        for one in self.framework.owned(optimizer):
            before = self.watched.pop(id(one), None)
            if id(one) not in self.done:
                self.perturb(one, [optimizer])
            elif before is not None and before != self.bytes_of(one):
                self.overwritten = True
                self.change(one, self.done[id(one)][1], [optimizer])
        self.announce()

    def perturb(self, parameter, optimizers):
        if id(parameter) in self.done:
            return
        how = self.change(parameter, len(self.done), optimizers)
        if how is None:
            return  # perhaps later
        self.done[id(parameter)] = parameter, len(self.done)
        if not how:
            return
        self.counts[how] = self.counts.get(how, 0) + 1
        if len(self.watched) < WATCHED:
            self.watched[id(parameter)] = self.bytes_of(parameter)

    def change(self, parameter, number, optimizers):
        """By how much it was changed; empty if there was nothing to change, None if it cannot be (yet)."""
        values = self.framework.get(parameter)
        if values is None:
            return None
        dtype = self.framework.dtype(parameter)
        changed = perturbed(values, SIZE, dtype, numpy.random.default_rng([self.seed, number]))
        if changed is None:
            return ""
        self.framework.put(parameter, changed, optimizers)
        return "one unit in the last place" if changed.dtype == numpy.uint16 else f"{SIZE:.2g} of their size"

    def bytes_of(self, parameter):
        values = self.framework.get(parameter)
        return None if values is None else zlib.crc32(numpy.ascontiguousarray(values))

    def announce(self):
        text = ", ".join(f"{number} parameters by {how}" for how, number in self.counts.items())
        if self.overwritten:
            text += ", some twice: they were overwritten before the first step"
        if not text and not self.optimizers:
            say("not perturbed: all parameters are zero or of other types than floating point")
        if text and text != self.announced:
            self.announced = text
            say(f"perturbed {text} (seed {self.seed})")

    def ended(self):
        if self.announced is None and self.optimizers:
            say("not perturbed: no optimizer made a step")


def say(text):
    sys.stderr.write(f"bisectd: {text}\n")  # one write of a whole line: the lines of workers must not mix
    sys.stderr.flush()


def begin(framework, hooks):
    """hooks(perturbation) sees to it that the perturbation is told what happens. Not called, and said so, without a seed."""
    text = os.environ.get("BISECTD_PERTURB", "")
    if text.isdecimal() and int(text) > 0:
        perturbation = Perturbation(framework, int(text))
        hooks(perturbation)
        atexit.register(perturbation.ended)
    else:
        say(f"not perturbed: BISECTD_PERTURB is {text!r} and no seed from 1 on")
