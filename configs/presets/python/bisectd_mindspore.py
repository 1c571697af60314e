"""Makes the settings that MindSpore takes as calls, once it is imported, so that no training script changes.

    BISECTD_MS_NAME    value of one of SETTINGS below; of switches 1 or 0

MindSpore refuses to be told any of them twice, so what a script sets itself afterwards is left out, which the log says. Knows
nothing of the rest of bisectd.
"""
import os
import sys

PREFIX = "BISECTD_MS_"


def is_on(value):
    return value == "1"


def op_precision(ms):
    return ms.device_context.ascend.op_precision


# How each is read from the variable, whose function takes it, and its name there.
SETTINGS = {
    "precision_mode": (str, op_precision, "precision_mode"),
    "op_precision_mode": (str, op_precision, "op_precision_mode"),
    "matmul_allow_hf32": (is_on, op_precision, "matmul_allow_hf32"),
    "conv_allow_hf32": (is_on, op_precision, "conv_allow_hf32"),
    "deterministic": (is_on, lambda ms: ms, "set_deterministic"),
}


def say(text):
    sys.stdout.write(f"bisectd-mindspore: {text}\n")
    sys.stdout.flush()


def leave_out(name, value):
    """What the script's own call becomes."""
    return lambda *own, **named: say(f"left out what the script sets {name} to: it is {value} in this run")


def install():
    import mindspore

    for name, (read, owner_in, function) in SETTINGS.items():
        value = os.environ.get(PREFIX + name)
        if value:
            owner = owner_in(mindspore)
            getattr(owner, function)(read(value))
            setattr(owner, function, leave_out(name, value))
            say(f"set {name} to {value}")
