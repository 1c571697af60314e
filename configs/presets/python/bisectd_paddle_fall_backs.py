"""Of what Paddle logs with GLOG_v=3, leaves the lines that say which kernels fell back to the CPU.

Asked for by BISECTD_PADDLE_FALL_BACKS. All of GLOG_v=3 is 250 kB in every step of the small recogniser of examples/paddle, and a fifth of
its processor time; these lines are 6 kB. Not GLOG_vmodule: with it a process of 3.3.1 corrupts its memory at exit, while the same asked of a
running Paddle does no harm. A Paddle that cannot be asked goes on logging all of it, as it would without this shim.
"""
import os

LEVEL = 3
MODULES = "kernel_factory", "phi_utils"  # paddle/phi/core/kernel_factory.cc, paddle/fluid/framework/phi_utils.cc


def install():
    import paddle

    core = getattr(getattr(paddle, "base", None), "core", None)  # before 2.6 there is no paddle.base
    set_level = getattr(core, "set_vlog_level", None)
    if set_level and os.environ.get("GLOG_v") == str(LEVEL):  # another level is the user's own
        set_level(0)
        set_level(dict.fromkeys(MODULES, LEVEL))
