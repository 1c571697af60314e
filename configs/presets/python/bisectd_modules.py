"""Runs the listed modules of a model on the CPU, forward and backward; says which one it moved. Knows no framework: what
one must be able to do is said by the methods that `Modules` calls on it (bisectd_torch_modules, bisectd_paddle_layers).

A module stands for the operators that it runs itself, not for those of the modules within it: the suspects overlap
nowhere, and what a model computes between its modules is one too. Modules are named as the outermost one names them
(encoder.layer.3.norm), also where a training calls parts of it past its forward (Lightning's training_step); an outermost module, the
model or a loss, has its class's name. Where a second outermost module has
that name too (a discriminator beside a generator), its class stands before it: Discriminator.conv1. Outermost modules that are
made alike share their names, because a training may make a new one in every step.

Copies to the CPU and back are differentiable, so that the backward of a moved module runs on the CPU as well. Parameters
stay on the device, where the optimizer finds them: a moved module sees copies, made when it first asks for one.
"""
import gc
import os
import threading
import weakref


class Framework:
    """What the adapters share. They name `tensor`, `module`, `sequential` and `dropouts`, classes, `parts`, the attribute in which a
    module keeps its own, and `map_tree(change, values)`."""

    def holders(self, module):
        """Modules with this one among their parts."""
        return [one for one in gc.get_objects() if issubclass(type(one), self.module)
                and any(part is module for part in (vars(one).get(self.parts) or {}).values())]

    def only_calls_others(self, module):
        return isinstance(module, self.sequential)

    def why_it_stays(self, module):
        """Empty for one that can move."""
        return ""

    def is_dropout(self, module):
        return isinstance(module, self.dropouts) and module.training and module.p > 0

    def holds_tensors(self, value):  # such as the weights that a recurrent module keeps in a list
        values = value if isinstance(value, (list, tuple)) else [value]
        return any(isinstance(one, self.tensor) for one in values)

    def mapped(self, change, values):
        return self.map_tree(lambda value: change(value) if isinstance(value, self.tensor) else value, values)


class CpuView(dict):
    """A module's parameters or buffers, as its forward sees them while it runs on the CPU."""

    def __init__(self, originals, to_cpu):
        super().__init__(originals)
        self.to_cpu, self.copies = to_cpu, {}

    def __getitem__(self, name):
        if name not in self.copies:
            original = super().__getitem__(name)
            self.copies[name] = None if original is None else self.to_cpu(original)
        return self.copies[name]

    def __setitem__(self, name, value):
        self.copies[name] = value


class State:
    """The tensors of one module, either its own on the device or copies on the CPU."""

    def __init__(self, framework, module, to_cpu):
        self.framework, self.module, self.to_cpu = framework, module, to_cpu
        self.own = {key: value for key, value in vars(module).items()
                    if key in ("_parameters", "_buffers") or framework.holds_tensors(value)}
        self.views = {key: CpuView(value, to_cpu) if key in ("_parameters", "_buffers")
                      else framework.mapped(to_cpu, value) for key, value in self.own.items()}

    def put(self, on_cpu):
        vars(self.module).update(self.views if on_cpu else self.own)

    def write_back(self):
        """Running statistics and the like; what the forward only read must not look written to autograd."""
        for name, copy in self.views["_buffers"].copies.items():
            own = self.own["_buffers"][name]
            if copy is not None and not self.framework.equal(copy, self.to_cpu(own)):
                self.framework.write(own, copy)


class Level:
    """One call of a module that is under way."""

    def __init__(self, name, on_cpu):
        self.name, self.on_cpu = name, on_cpu
        self.states = []       # of the modules below a moved one
        self.dtypes = None     # on the CPU: the dtype computed in, and the one to return
        self.drawn = None      # the state of the CPU's random numbers before it ran; None: not looked at
        self.seen = None       # while it is listed: the state of the random numbers where it runs, before its own stretch
        self.draws = False


class Calls(threading.local):
    """The calls that are under way; every thread has its own."""

    def __init__(self):
        self.levels = []


def class_of(module):
    return type(module).__module__, type(module).__qualname__


class Names:
    """What modules are called. Keeps none of them alive."""

    def __init__(self, framework):
        self.framework = framework
        self.by_id = {}        # id of a module -> its name; gone with the module, as ids are used again
        self.references = {}   # what tells that
        self.owners = {}       # a name -> what the outermost module is made of that gave it first
        self.held_by_none = set()  # what such modules are made of: looking for holders takes a while, and a loss may be made anew in every step
        self.lock = threading.RLock()  # a module may go while another one is learnt

    def of(self, module):
        name = self.by_id.get(id(module))
        return name or self.learn(module)

    def learn(self, called):
        with self.lock:
            root = self.outermost(called)
            made_of = self.made_of(root)
            for path, module in [(type(root).__name__, root), *self.inner(root)]:
                if id(module) not in self.by_id:
                    self.give(module, path, type(root), made_of)
            return self.by_id[id(called)]

    def inner(self, root):
        return [(path, module) for path, module in self.framework.named(root) if module is not root]

    def made_of(self, root):
        return class_of(root), *((path, class_of(module)) for path, module in self.inner(root))

    def outermost(self, module):
        """The one that holds this one and that no other holds. Of several the largest, so that all runs find the same."""
        seen = {id(module)}
        while (made_of := self.made_of(module)) not in self.held_by_none:
            holders = [one for one in self.framework.holders(module) if id(one) not in seen]
            if not holders:
                self.held_by_none.add(made_of)
                break
            module = max(holders, key=lambda one: (len(self.inner(one)), class_of(one)))
            seen.add(id(module))
        return module

    def give(self, module, name, outermost, made_of):
        while self.owners.setdefault(name, made_of) != made_of:
            name = f"{outermost.__name__}.{name}"
        key = id(module)
        self.by_id[key] = name
        self.references[key] = weakref.ref(module, lambda _: self.forget(key))

    def forget(self, key):
        with self.lock:
            self.by_id.pop(key, None)
            self.references.pop(key, None)


class Modules:
    def __init__(self, framework, call, wanted, listing):
        self.framework, self.call = framework, call
        self.wanted, self.listing = frozenset(wanted), listing
        self.names = Names(framework)
        self.calls = Calls()
        self.said = set()

    def __call__(self, module, *args, **kwargs):
        levels = self.calls.levels
        caller = levels[-1] if levels else Level("", on_cpu=False)
        here = Level(self.names.of(module), on_cpu=False)
        here.on_cpu = here.name in self.wanted
        levels.append(here)
        self.begin_listing(caller, here)
        try:
            if here.on_cpu or caller.on_cpu:
                result = self.cross(module, caller, here, args, kwargs)
            else:
                result = self.call(module, *args, **kwargs)
        except Exception:
            self.say_ran(here, module)  # it may be what ends the training
            raise
        finally:
            levels.pop()
        self.end_listing(caller, here, module)
        return result

    def begin_listing(self, caller, here):
        if self.listing:
            self.look_at_draws(caller)
            here.seen = None if self.ran(here) in self.said else self.framework.random_states()

    def end_listing(self, caller, here, module):
        """Says that a module ran, unless it cannot be moved because it draws random numbers itself."""
        self.look_at_draws(here)
        if here.draws or here.seen is not None and self.framework.is_dropout(module):
            self.said.add(self.ran(here))
        else:
            self.say_ran(here, module)
        if caller.seen is not None:
            caller.seen = self.framework.random_states()

    def say_ran(self, level, module):
        if level.seen is None or self.framework.only_calls_others(module):
            return
        self.say_once(self.ran(level))
        why_it_stays = self.framework.why_it_stays(module)
        if why_it_stays:
            self.say_once(self.cannot_move(level, why_it_stays))

    def cannot_move(self, level, why):
        return f"cannot move {self.framework.kind} {level.name}: {why}"

    def refuse(self, level, why):
        self.framework.say(self.cannot_move(level, why))
        os._exit(3)

    def look_at_draws(self, level):
        if level.seen is not None:
            level.draws = level.draws or self.framework.random_states() != level.seen

    def ran(self, level):
        return f"ran {self.framework.kind} {level.name} on the device"

    def cross(self, module, caller, here, args, kwargs):
        """A call between the device and the CPU, or from one moved module to another."""
        if caller.on_cpu:
            self.check_random(caller)
            args, kwargs = self.up(caller, (args, kwargs))
            for state in caller.states:
                state.put(on_cpu=False)
        result = self.on_cpu(module, here, args, kwargs) if here.on_cpu else self.call(module, *args, **kwargs)
        if caller.on_cpu:
            for state in caller.states:
                state.put(on_cpu=True)
            self.framework.enter_cpu()
            result = self.down(caller, result)
            self.look_at_random(caller)
        return result

    def on_cpu(self, module, here, args, kwargs):
        why_it_stays = self.framework.why_it_stays(module)
        if why_it_stays:
            self.refuse(here, why_it_stays)
        here.dtypes = self.framework.dtypes(module, (args, kwargs))
        here.states = [State(self.framework, each, lambda tensor: self.down(here, tensor))
                       for each in self.framework.with_inner(module)]
        for state in here.states:
            state.put(on_cpu=True)
        self.framework.enter_cpu()
        self.look_at_random(here)
        try:
            result = self.call(module, *self.down(here, args), **self.down(here, kwargs))
            self.check_random(here)
        finally:
            self.framework.leave_cpu()
            for state in here.states:
                state.put(on_cpu=False)
        for state in here.states:
            state.write_back()
        self.say_once(self.moved(here))
        return self.up(here, result)

    def moved(self, level):
        return f"moved {self.framework.kind} {level.name} to the CPU"

    def down(self, level, values):
        return self.framework.mapped(lambda tensor: self.framework.down(tensor, *level.dtypes), values)

    def up(self, level, values):
        self.framework.leave_cpu()
        return self.framework.mapped(lambda tensor: self.framework.up(tensor, *level.dtypes), values)

    def look_at_random(self, level):
        if self.moved(level) not in self.said:  # once: a module that draws does so in its first call
            level.drawn = self.framework.random_state()

    def check_random(self, level):
        if level.drawn is None or self.framework.random_state() == level.drawn:
            return
        self.refuse(level, "it draws random numbers, and the CPU draws others")

    def say_once(self, text):
        if text not in self.said:
            self.said.add(text)
            self.framework.say(text)
