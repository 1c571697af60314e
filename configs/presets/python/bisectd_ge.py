"""The options that bisectd wants for CANN's graph engine, for a training script to put where its framework takes them.

TensorFlow 1, session:     bisectd_ge.put(custom_op.parameter_map)
TensorFlow 1, Estimator:   NPURunConfig(**bisectd_ge.options())
TensorFlow 2:              for name, value in bisectd_ge.options().items(): setattr(npu.global_options(), name, value)

Outside bisectd there are none, so the lines can stay in the script.

Options have types. A session reads an integer as one and ignores a text in its place without a word; Estimator and TensorFlow 2
refuse the text. The names are those that tf_adapter/util/npu_attrs.cc of hicann/tensorflow reads with i() and b()."""
import os

PREFIX = "BISECTD_GE_"
INTEGERS = {"deterministic", "export_compile_stat", "topo_sorting_mode", "op_debug_level", "graph_run_mode", "atomic_clean_policy"}
SWITCHES = {"oo_constant_folding", "mix_compile_mode", "hcom_parallel", "is_tailing_optimization"}


def typed(name, text):
    if name in INTEGERS:
        return int(text)
    if name in SWITCHES:
        return {"0": False, "1": True, "false": False, "true": True}[text.lower()]
    return text


def options():
    return {name[len(PREFIX):]: typed(name[len(PREFIX):], text) for name, text in os.environ.items() if name.startswith(PREFIX)}


def put(parameter_map):
    """Into the parameters of a session's custom optimizer, each into the field of its type."""
    for name, value in options().items():
        if isinstance(value, bool):
            parameter_map[name].b = value
        elif isinstance(value, int):
            parameter_map[name].i = value
        else:
            parameter_map[name].s = value.encode()
