"""Loaded by Python at its start because this folder is on PYTHONPATH: installs what the environment asks for as
soon as the module that brings the device's kernels was imported, and does nothing at all if nothing is asked for. Then hands over to the
sitecustomize that this one hides, if there is one."""
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


def anything_with(*beginnings):
    return any(name.startswith(beginnings) and value for name, value in os.environ.items())


def install():
    if anything_with("BISECTD_TORCH_CPU_OPS", "BISECTD_TORCH_LIST_OPS", "BISECTD_TORCH_SET_"):
        import bisectd_torch

        bisectd_torch.install()
    if anything_with("BISECTD_TORCH_CPU_MODULES", "BISECTD_TORCH_LIST_MODULES"):
        import bisectd_torch_modules

        bisectd_torch_modules.install()


hidden_sitecustomize()
if anything_with("BISECTD_TORCH_CPU_", "BISECTD_TORCH_LIST_", "BISECTD_TORCH_SET_"):
    sys.meta_path.insert(0, After(os.environ.get("BISECTD_TORCH_AFTER", "torch_npu"), install))
