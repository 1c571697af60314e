"""What fused operators of torch_npu compute, in ordinary operators, from the definitions in Ascend's manual of torch_npu: as their kernels for the
CPU, for which torch_npu has none. So they can be moved, forward and backward apart."""
import torch


def npu_fast_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def npu_fast_gelu_backward(grad, x):
    s = torch.sigmoid(1.702 * x)
    return grad * (s + 1.702 * x * s * (1 - s))


def npu_swiglu(x, dim=-1):
    gate, value = x.chunk(2, dim)
    return gate * torch.sigmoid(gate) * value


def npu_swiglu_backward(grad, x, dim=-1):
    gate, value = x.chunk(2, dim)
    s = torch.sigmoid(gate)
    return torch.cat([grad * value * s * (1 + gate * (1 - s)), grad * gate * s], dim)


def at_least_single(x):
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def npu_rms_norm(x, gamma, epsilon=1e-6):
    wide = at_least_single(x)
    rstd = torch.rsqrt(wide.square().mean(list(range(-gamma.dim(), 0)), True) + epsilon)
    return (wide * rstd * gamma).to(x.dtype), rstd


def npu_rms_norm_backward(grad, x, gamma, rstd):
    normal, scaled = at_least_single(x) * rstd, at_least_single(grad) * gamma
    along = (scaled * normal).mean(list(range(-gamma.dim(), 0)), True)
    return (rstd * (scaled - normal * along)).to(x.dtype), (at_least_single(grad) * normal).sum_to_size(gamma.shape)


def rotated(x, mode):
    if mode == "half":
        first, second = x.chunk(2, -1)
        return torch.cat([-second, first], -1)
    if mode == "interleave":
        return torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    raise RuntimeError(f"of the rotary modes half and interleave are known, not {mode}")


def npu_rotary_mul(x, cosine, sine, mode="half", rotate=None):
    if rotate is not None:
        raise RuntimeError("a matrix that rotates is not known")
    return x * cosine + rotated(x, mode) * sine


def npu_rotary_mul_backward(grad, x, cosine, sine, mode="half"):
    # A turn by a quarter: its transposed is the turn back.
    to_x = grad * cosine - rotated(grad * sine, mode)
    return to_x, (grad * x).sum_to_size(cosine.shape), (grad * rotated(x, mode)).sum_to_size(sine.shape)


FORMULAS = (npu_fast_gelu, npu_fast_gelu_backward, npu_swiglu, npu_swiglu_backward, npu_rms_norm, npu_rms_norm_backward,
            npu_rotary_mul, npu_rotary_mul_backward)


def install(library):
    """Where torch_npu, or a later version of it, has a kernel for the CPU, that one stays."""
    for formula in FORMULAS:
        name = f"npu::{formula.__name__}"
        if hasattr(torch.ops.npu, formula.__name__) and not torch._C._dispatch_has_kernel_for_dispatch_key(name, "CPU"):
            library.impl(formula.__name__, formula, "CPU")
