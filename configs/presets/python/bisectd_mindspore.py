"""Makes the settings that MindSpore takes as calls, once it is imported, so that no training script changes.

    BISECTD_MS_NAME    value of one of SETTINGS below; of switches 1 or 0

MindSpore refuses to be told any of them twice, and `set_context`, the older call for the same, undoes them without a word. So what
a script sets itself afterwards is left out, which the log says. Knows nothing of the rest of bisectd.
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


def left_out(name, value):
    say(f"left out what the script sets {name} to: it is {value} in this run")


def without(held, settings):
    """Arguments of set_context, or its ascend_config, without what this run holds."""
    kept = {}
    for name, value in settings.items():
        if name in held:
            left_out(name, held[name])
        elif name == "ascend_config" and isinstance(value, dict) and held.keys() & value.keys():
            rest = without(held, value)
            kept.update({name: rest} if rest else {})
        else:
            kept[name] = value
    return kept


def install():
    import mindspore

    held = {name: os.environ[PREFIX + name] for name in SETTINGS if os.environ.get(PREFIX + name)}
    for name, value in held.items():
        read, owner_in, function = SETTINGS[name]
        owner = owner_in(mindspore)
        collectives = os.environ.get("HCCL_DETERMINISTIC")
        getattr(owner, function)(read(value))
        if collectives is None:  # set_deterministic sets it, too, which is a suspect of its own
            os.environ.pop("HCCL_DETERMINISTIC", None)
        else:
            os.environ["HCCL_DETERMINISTIC"] = collectives
        setattr(owner, function, lambda *own, name=name, value=value, **named: left_out(name, value))
        say(f"set {name} to {value}")
    set_context = mindspore.context.set_context

    def set_rest(**settings):
        rest = without(held, settings)
        if rest or not settings:
            set_context(**rest)

    mindspore.set_context = mindspore.context.set_context = set_rest
