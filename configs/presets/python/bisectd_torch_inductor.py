"""Leaves passes of torch.compile's inductor out, and operators that it would lower to their ATen kernel; says which. PyTorch asks
its CompilerBisector before each of them, which can only let the first so many go on; here each is told by its name, so that
several may be wrong. Read from the environment:

    BISECTD_TORCH_INDUCTOR_OFF    names, comma-separated: lowerings/tanh, post_grad_passes/pass_pattern_1
    BISECTD_TORCH_LIST_INDUCTOR   1: print those that run, one line each

A lowering has the name of its operator. Knows nothing of bisectd but how bisectd_torch says a line.
"""
import os
import re

from bisectd_torch_operators import say


def install():
    from torch._inductor.compiler_bisector import CompilerBisector  # PyTorch 2.6 and later

    off = frozenset(os.environ.get("BISECTD_TORCH_INDUCTOR_OFF", "").split(","))
    listed = os.environ.get("BISECTD_TORCH_LIST_INDUCTOR") == "1"
    said = set()

    def is_off(cls, backend, subsystem, debug_info=None):
        if backend != "inductor" or debug_info is None:
            return False
        name = f"{subsystem}/{re.sub(r'_[0-9]+$', '', debug_info()) if subsystem == 'lowerings' else debug_info()}"
        if name not in said and (name in off or listed):
            said.add(name)
            say(f"left {name} out of inductor" if name in off else f"ran {name} in inductor")
        return name in off

    CompilerBisector.disable_subsystem = classmethod(is_off)
