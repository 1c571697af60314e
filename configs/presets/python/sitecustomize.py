"""Loaded by Python at its start because this folder is on PYTHONPATH: installs the shims that the environment asks for as
soon as the module that brings the device's kernels was imported, and does nothing at all if nothing is asked for. It hands
over to the sitecustomize that this one hides, if there is one; an error in that one ends no shim."""
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import traceback


def is_of_a_bisectd(folder):
    return os.path.isfile(os.path.join(folder or ".", "bisectd_hold.py"))


def is_second():
    """Whether another bisectd's folder, which may be older than this check, stands before this one on the path and hands over to it: a
    workaround that was exported names the folder of the bisectd that found it. Installed twice, shims do all twice."""
    first = sys.modules.get("sitecustomize")
    return vars(first) is not globals() and is_of_a_bisectd(os.path.dirname(first.__file__)) if first else False


def hidden_sitecustomize():
    """Not one of a bisectd's folders, by whatever name they are on the path: they would hand over to each other without end."""
    others = [entry for entry in sys.path if not is_of_a_bisectd(entry)]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec and spec.loader:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


class After:
    """Calls `then` once, after the module `name` was imported. Whoever only looks whether there is such a module
    (importlib.util.find_spec, as accelerate and transformers do) changes nothing."""

    def __init__(self, name, then):
        self.name, self.then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.then is None:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1:]:
            find = getattr(finder, "find_spec", None)  # Python 3.11 and before know finders without one
            spec = find and find(name, path, target)
            if spec:
                if spec.loader is not None:
                    spec.loader = Executing(spec.loader, self)
                return spec
        return None

    def imported(self):
        then, self.then = self.then, None
        if then is not None:
            then()


class Executing:
    """A module's loader, which says when the module was executed. In all else it is the loader itself."""

    def __init__(self, loader, after):
        self.loader, self.after = loader, after

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.after.imported()


# Variable of the module that the shim waits for, and which one it is if that is not set; the shim, with its function behind a colon
# if that is not `install`; what asks for it.
SHIMS = (
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch_settings", ("BISECTD_TORCH_SET_", "BISECTD_TORCH_OPTION_")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch", ("BISECTD_TORCH_CPU_OPS", "BISECTD_TORCH_LIST_OPS")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch_modules",
     ("BISECTD_TORCH_CPU_MODULES", "BISECTD_TORCH_LIST_MODULES", "BISECTD_TORCH_LIST_OPS_OF")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch_within",
     ("BISECTD_TORCH_CPU_MODULE_", "BISECTD_TORCH_LIST_MODULE_")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_settings", ("BISECTD_SETTINGS",)),
    *(("", name, "bisectd_settings", ("BISECTD_SETTINGS",)) for name in ("paddle", "mindspore", "tensorflow")),
    ("", "torch", "bisectd_torch_inductor", ("BISECTD_TORCH_INDUCTOR_OFF", "BISECTD_TORCH_LIST_INDUCTOR")),
    ("BISECTD_TORCH_AFTER", "torch_npu", "bisectd_torch_finite", ("BISECTD_TORCH_FIRST_NOT_FINITE",)),
    ("", "torchair.configs.compiler_config", "bisectd_torchair", ("BISECTD_TORCHAIR_",)),
    ("", "torch_npu.dynamo.torchair.configs.compiler_config", "bisectd_torchair", ("BISECTD_TORCHAIR_",)),
    ("", "mindspore", "bisectd_mindspore", ("BISECTD_MS_",)),
    ("BISECTD_PADDLE_AFTER", "paddle", "bisectd_paddle_layers",
     ("BISECTD_PADDLE_CPU_LAYERS", "BISECTD_PADDLE_LIST_LAYERS", "BISECTD_PADDLE_LIST_OPS_OF")),
    ("BISECTD_PADDLE_AFTER", "paddle", "bisectd_paddle_within",
     ("BISECTD_PADDLE_CPU_LAYER_OPS", "BISECTD_PADDLE_LIST_LAYER_OPS")),
    ("BISECTD_PADDLE_AFTER", "paddle", "bisectd_paddle_fall_backs", ("BISECTD_PADDLE_FALL_BACKS",)),
    ("", "paddle", "bisectd_paddle_stop", ("BISECTD_ATTEMPT",)),
    # Frameworks themselves: the trusted side has another device, or none.
    ("", "torch", "bisectd_perturb_torch", ("BISECTD_PERTURB",)),
    ("", "paddle", "bisectd_perturb_paddle", ("BISECTD_PERTURB",)),
    ("", "mindspore", "bisectd_perturb_mindspore", ("BISECTD_PERTURB",)),
    ("", "tensorflow", "bisectd_perturb_tensorflow", ("BISECTD_PERTURB",)),
    *(("", name, f"bisectd_hold:{name}", ("BISECTD_HOLD_",)) for name in ("numpy", "torch", "torch_npu", "paddle", "mindspore", "tensorflow")),
    ("", "torch", "bisectd_align_torch", ("BISECTD_ALIGN",)),
    ("", "paddle", "bisectd_align_paddle", ("BISECTD_ALIGN",)),
)


def is_asked_for(beginnings):
    return any(name.startswith(beginnings) and value for name, value in os.environ.items())


def install(shim):
    """A training whose shim is not there would look like one that neutralises nothing, so it ends."""
    try:
        module, _, function = shim.partition(":")
        getattr(importlib.import_module(module), function or "install")()
    except Exception:
        traceback.print_exc()
        sys.stderr.write(f"bisectd: the shim {shim} cannot be installed\n")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(3)


def wait_for_modules():
    if is_asked_for(("BISECTD_HOLD_",)):
        install("bisectd_hold:python")
    for variable, usual, shim, beginnings in SHIMS:
        if is_asked_for(beginnings):
            after = After(os.environ.get(variable, usual), lambda shim=shim: install(shim))
            if after.name in sys.modules:
                after.imported()
            else:
                sys.meta_path.insert(0, after)


try:
    hidden_sitecustomize()
finally:
    if not is_second():
        wait_for_modules()
