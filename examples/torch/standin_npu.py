"""Importing this brings the stand-in device, built by build beside it, as importing torch_npu brings the real one."""
import pathlib
import types

import torch

DEVICE = "privateuseone"
LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "build/standin-torch/standin_npu.so"
torch._register_device_module(DEVICE, types.ModuleType(f"torch.{DEVICE}"))  # asked for nothing, but it has to be there
torch.ops.load_library(str(LIBRARY))
