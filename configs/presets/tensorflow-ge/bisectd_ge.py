"""The options that bisectd wants for CANN's graph engine, for a training script to put where its framework takes them.

TensorFlow 1, session:     for name, value in bisectd_ge.options().items(): custom_op.parameter_map[name].s = value.encode()
TensorFlow 1, Estimator:   NPURunConfig(**bisectd_ge.options())
TensorFlow 2:              for name, value in bisectd_ge.options().items(): setattr(npu.global_options(), name, value)

Outside bisectd there are none, so the lines can stay in the script."""
import os

PREFIX = "BISECTD_GE_"


def options():
    return {name[len(PREFIX):]: value for name, value in os.environ.items() if name.startswith(PREFIX)}
