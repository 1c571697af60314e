"""Loaded by Python at its start because this folder is on PYTHONPATH: installs the shims that the environment asks for as
soon as the module that brings the device's kernels was imported, and does nothing at all if nothing is asked for. Before
that it hands over to the sitecustomize that this one hides, if there is one."""
import importlib
import importlib.machinery
import importlib.util
import os
import sys


def hidden_sitecustomize():
    here = os.path.dirname(os.path.abspath(__file__))
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


class After:
    """Calls `then` once, after the module `name` was imported."""

    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.then()

        spec.loader.exec_module = exec_module
        return spec


# Variable of the module that the shim waits for, and which one it is if that is not set; the shim; what asks for it.
SHIMS = (
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch",
     ("BISECTD_TORCH_CPU_OPS", "BISECTD_TORCH_LIST_OPS", "BISECTD_TORCH_SET_", "BISECTD_TORCH_OPTION_")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch_modules",
     ("BISECTD_TORCH_CPU_MODULES", "BISECTD_TORCH_LIST_MODULES", "BISECTD_TORCH_LIST_OPS_OF")),
    ("", "torchair.configs.compiler_config", "bisectd_torchair", ("BISECTD_TORCHAIR_",)),
    ("", "torch_npu.dynamo.torchair.configs.compiler_config", "bisectd_torchair", ("BISECTD_TORCHAIR_",)),
    ("", "mindspore", "bisectd_mindspore", ("BISECTD_MS_",)),
    ("BISECTD_PADDLE_AFTER", "paddle", "bisectd_paddle_layers",
     ("BISECTD_PADDLE_CPU_LAYERS", "BISECTD_PADDLE_LIST_LAYERS", "BISECTD_PADDLE_LIST_OPS_OF")),
    # Frameworks themselves: the trusted side has another device, or none.
    ("", "torch", "bisectd_perturb_torch", ("BISECTD_PERTURB",)),
    ("", "paddle", "bisectd_perturb_paddle", ("BISECTD_PERTURB",)),
)


def is_asked_for(beginnings):
    return any(name.startswith(beginnings) and value for name, value in os.environ.items())


hidden_sitecustomize()
for variable, usual, shim, beginnings in SHIMS:
    if is_asked_for(beginnings):
        install = lambda shim=shim: importlib.import_module(shim).install()
        sys.meta_path.insert(0, After(os.environ.get(variable, usual), install))
