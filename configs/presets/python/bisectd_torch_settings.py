"""Makes the settings that torch and torch_npu take as calls, after their import. Read from the environment:

    BISECTD_TORCH_SET_NAME     1 or 0: the setting NAME (SETTINGS below); deterministic_algorithms also takes warn: an operator
                               without a deterministic kernel warns only. One that this PyTorch does not have is left alone, and said
    BISECTD_TORCH_OPTION_NAME  value of an option of torch.npu.set_option

Knows nothing of bisectd but how bisectd_torch says a line.
"""
import os

from bisectd_torch_operators import say

# By the names of the suspects in the presets.
SETTINGS = {
    "conv_hf32": lambda torch, on: setattr(torch.npu.conv, "allow_hf32", on),
    "aclnn_hf32": lambda torch, on: setattr(torch.npu.aclnn, "allow_hf32", on),
    "matmul_hf32": lambda torch, on: setattr(torch.npu.matmul, "allow_hf32", on),
    "internal_format": lambda torch, on: setattr(torch.npu.config, "allow_internal_format", on),
    "jit_compile": lambda torch, on: torch.npu.set_compile_mode(jit_compile=on),
    "matmul_tf32": lambda torch, on: setattr(torch.backends.cuda.matmul, "allow_tf32", on),
    "fp16_reduction":
        lambda torch, on: setattr(torch.backends.cuda.matmul, "allow_fp16_reduced_precision_reduction", on),
    "bf16_reduction":
        lambda torch, on: setattr(torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction", on),
    "cudnn_enabled": lambda torch, on: setattr(torch.backends.cudnn, "enabled", on),
    "cudnn_tf32": lambda torch, on: setattr(torch.backends.cudnn, "allow_tf32", on),
    "cudnn_benchmark": lambda torch, on: setattr(torch.backends.cudnn, "benchmark", on),
    "cudnn_deterministic": lambda torch, on: setattr(torch.backends.cudnn, "deterministic", on),
    "flash_attention": lambda torch, on: torch.backends.cuda.enable_flash_sdp(on),
    "mem_efficient_attention": lambda torch, on: torch.backends.cuda.enable_mem_efficient_sdp(on),
    "cudnn_attention": lambda torch, on: torch.backends.cuda.enable_cudnn_sdp(on),
}


def set_deterministic(torch, value):
    if value == "1":  # cuBLAS raises without; with "warn" it only warns, and the variable is a suspect of its own
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(value != "0", warn_only=value == "warn")


def apply_setting(torch, name, value):
    """A setting that this PyTorch or torch_npu does not have is left alone: a search must not take its absence for a crash."""
    setting = SETTINGS.get(name)
    if setting is None and name != "deterministic_algorithms":
        raise ValueError(f"BISECTD_TORCH_SET_{name}: there is no such setting")
    try:
        setting(torch, value == "1") if setting else set_deterministic(torch, value)
    except (AttributeError, TypeError) as why:
        say(f"cannot set {name}: PyTorch {torch.__version__} does not have it ({why})")
    else:
        say(f"set {name} to {value}")


def install():
    import torch

    for variable, value in os.environ.copy().items():
        if variable.startswith("BISECTD_TORCH_SET_"):
            apply_setting(torch, variable.removeprefix("BISECTD_TORCH_SET_"), value)
        elif variable.startswith("BISECTD_TORCH_OPTION_"):
            name = variable.removeprefix("BISECTD_TORCH_OPTION_")
            torch.npu.set_option({name: value})
            say(f"set {name} to {value}")
