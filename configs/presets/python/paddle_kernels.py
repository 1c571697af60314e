"""Prints the operators that have a kernel on the device and one on the CPU, so that they can fall back: one line each, by
the names of Paddle's logs. Asked once before a search where a run cannot show which operators it uses.

    python paddle_kernels.py DEVICE        (npu, or the type of another custom device)
"""
import sys

from paddle.base import core

# Kernels that move data or talk between devices, files and the console: they compute nothing.
MOVING = ("memcpy", "feed", "fetch", "shadow_", "share_buffer", "load_", "save_", "print", "barrier", "all_", "global_",
          "mp_allreduce", "c_broadcast", "c_allreduce", "c_sync")


def can_fall_back(kernels, device):
    return all(any(f"Place({place}" in kernel for kernel in kernels) for place in (device, "cpu"))


def main(device):
    registered = core._get_all_register_op_kernels("phi")
    for name, kernels in sorted(registered.items()):
        phi_name = core._get_phi_kernel_name(name)
        if can_fall_back(kernels, device) and not phi_name.startswith(MOVING):
            print(phi_name)


if __name__ == "__main__":
    main(sys.argv[1])
