"""Importing this brings the stand-in device, built by build beside it, as importing torch_npu brings the real one."""
import atexit
import gc
import os
import pathlib
import types

import torch

DEVICE = "privateuseone"  # PyTorch 1.13 cannot give it another name yet
LIBRARY = pathlib.Path(os.environ.get("STANDIN_TORCH", pathlib.Path(__file__).resolve().parents[2] / "build/standin-torch")) / "standin_npu.so"
if hasattr(torch, "_register_device_module"):  # PyTorch 2 asks it for nothing, but wants it to be there
    torch._register_device_module(DEVICE, types.ModuleType(f"torch.{DEVICE}"))
torch.ops.load_library(str(LIBRARY))
# At exit Python would look through all objects of PyTorch for garbage: 0.15 s of the 0.95 s of processor time that "import torch" takes.
atexit.register(gc.freeze)
