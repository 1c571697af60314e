"""The three places where TensorFlow's adapter for CANN takes its options, as strict about types as those of hicann/tensorflow: what a
session does not read in an option's own type stays at its default without a word; Estimator and TensorFlow 2 refuse it.

Each front gives the options as the graph engine gets them, which are texts."""
import types

TEXTS = ("fusion_switch_file", "optimization_switch", "modify_mixlist", "op_precision_mode", "customize_dtypes", "precision_mode",
         "op_select_implmode", "oo_level")
INTEGERS = ("deterministic", "export_compile_stat")
DEFAULTS = {"deterministic": 0, "export_compile_stat": 1}


def ours():
    try:
        import bisectd_ge
        return bisectd_ge
    except ImportError:
        return types.SimpleNamespace(options=dict, put=lambda parameter_map: None)


class Attribute:
    """One of protobuf's AttrValue: it holds one value, in the field of its type."""

    FIELDS = {"s": bytes, "i": int, "b": bool}

    def __setattr__(self, field, value):
        if type(value) is not self.FIELDS[field]:
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected {self.FIELDS[field].__name__}")
        vars(self).clear()
        vars(self)[field] = value

    def read(self, field):
        return vars(self).get(field)


class Parameters(dict):
    def __missing__(self, name):
        return self.setdefault(name, Attribute())

    def as_read(self):
        texts = {name: self[name].read("s") for name in TEXTS if name in self}
        numbers = {name: self[name].read("i") for name in INTEGERS if name in self}
        return {name: str(value) for name, value in {**DEFAULTS, **without_none(numbers)}.items()} | {
            name: value.decode() for name, value in without_none(texts).items()}


def without_none(values):
    return {name: value for name, value in values.items() if value is not None}


def session():
    parameter_map = Parameters()
    ours().put(parameter_map)
    return parameter_map.as_read()


def estimator():
    parameter_map = Parameters()
    for name, value in run_config(**ours().options()).items():
        if name in INTEGERS:
            parameter_map[name].i = value
        else:
            parameter_map[name].s = value.encode()
    return parameter_map.as_read()


def run_config(deterministic=0, export_compile_stat=1, **texts):
    unknown = set(texts) - set(TEXTS)
    if unknown:
        raise TypeError(f"__init__() got an unexpected keyword argument {min(unknown)!r}")
    return {"deterministic": deterministic, "export_compile_stat": export_compile_stat, **texts}


def tf2():
    taken = dict(DEFAULTS)
    for name, value in ours().options().items():
        if name not in (*TEXTS, *INTEGERS):
            raise ValueError(f"NpuConfig has no option {name}")
        if name in INTEGERS and type(value) is not int:
            raise TypeError(f"Expected int, got {type(value).__name__}")
        taken[name] = value
    return {name: str(value) for name, value in taken.items()}


FRONTS = {"session": session, "estimator": estimator, "tf2": tf2}
