"""Makes the settings that MindSpore takes as calls, once it is imported, so that no training script changes.

    BISECTD_MS_NAME    value of one of SETTINGS below; of switches 1 or 0

What a script sets itself afterwards stands. Knows nothing of the rest of bisectd.
"""
import os
import sys

PREFIX = "BISECTD_MS_"


def is_on(value):
    return value == "1"


# How each is read from the variable, and what takes it.
SETTINGS = {
    "precision_mode": (str, lambda ms: ms.device_context.ascend.op_precision.precision_mode),
    "op_precision_mode": (str, lambda ms: ms.device_context.ascend.op_precision.op_precision_mode),
    "matmul_allow_hf32": (is_on, lambda ms: ms.device_context.ascend.op_precision.matmul_allow_hf32),
    "conv_allow_hf32": (is_on, lambda ms: ms.device_context.ascend.op_precision.conv_allow_hf32),
    "deterministic": (is_on, lambda ms: ms.set_deterministic),
}


def install():
    import mindspore

    for name, (read, setter_in) in SETTINGS.items():
        value = os.environ.get(PREFIX + name)
        if value:
            setter_in(mindspore)(read(value))
            sys.stdout.write(f"bisectd-mindspore: set {name} to {value}\n")
            sys.stdout.flush()
