"""Gives torchair's graphs (torch.compile with an NPU backend) the options that bisectd wants.

    BISECTD_TORCHAIR_NAME    value of one of OPTIONS below

Every CompilerConfig has them from the moment that it is made, so that no training script changes; what a script sets
afterwards stands. A script whose configuration is made in another way calls bisectd_torchair.configure(config).
Knows nothing of the rest of bisectd.
"""
import os
import sys

PREFIX = "BISECTD_TORCHAIR_"

# Which part of a CompilerConfig has the option.
OPTIONS = {
    "fusion_switch_file": "fusion_config",
    "optimization_switch": "ge_config",
    "oo_level": "ge_config",
    "export_compile_stat": "ge_config",
}

# torchair by itself, and the copy that is a part of torch_npu.
MODULES = ("torchair.configs.compiler_config", "torch_npu.dynamo.torchair.configs.compiler_config")


def configure(config):
    """Sets what the environment asks for; nothing outside bisectd."""
    for name, part in OPTIONS.items():
        value = os.environ.get(PREFIX + name)
        if value:
            setattr(getattr(config, part), name, value)
            sys.stdout.write(f"bisectd-torchair: set {name} to {value}\n")
            sys.stdout.flush()


def install():
    for name in MODULES:
        if name in sys.modules:
            configure_all(sys.modules[name].CompilerConfig)


def configure_all(config_class):
    if getattr(config_class.__init__, "by_bisectd", False):
        return
    make = config_class.__init__

    def make_and_configure(self, *args, **kwargs):
        make(self, *args, **kwargs)
        configure(self)

    make_and_configure.by_bisectd = True
    config_class.__init__ = make_and_configure
