"""What operators of torch_npu compute for which there is no kernel for the CPU, in ordinary operators: fused ones, from the definitions in Ascend's
manual of torch_npu, and the backward of matmul. So they can be moved, forward and backward apart."""
import functools

import torch

import bisectd_torch_attention
from bisectd_torch_attention import at_least_single
from bisectd_torch_operators import NAMESPACES, has_key


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


def npu_add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    x = x1 + x2
    y, rstd = npu_rms_norm(x, gamma, epsilon)
    return y, rstd, x


def hidden_scores(mask, triangle, like):
    return torch.ones(like.shape[-2:], dtype=torch.bool).triu(1) if triangle else mask


def npu_scaled_masked_softmax(x, mask, scale=1, fixed_triu_mask=False):
    # What is masked counts as -10000, so that a row of nothing else is a mean.
    scores = (at_least_single(x) * scale).masked_fill(hidden_scores(mask, fixed_triu_mask, x), -1e4)
    return scores.softmax(-1).to(x.dtype)


def npu_scaled_masked_softmax_backward(grad, y, mask, scale, fixed_triu_mask):
    to_y, p = at_least_single(grad), at_least_single(y)
    to_scores = p * (to_y - (to_y * p).sum(-1, True)) * scale
    return to_scores.masked_fill(hidden_scores(mask, fixed_triu_mask, y), 0).to(y.dtype)


def npu_linear(x, weight, bias=None):
    return torch.nn.functional.linear(x, weight, bias)


def npu_linear_backward(grad, x, weight):
    return grad @ weight, grad.flatten(0, -2).T @ x.flatten(0, -2)


def npu_binary_cross_entropy_with_logits_backward(grad, x, target, weight, pos_weight, reduction):
    positive = target if pos_weight is None else target * pos_weight
    to_x = grad * ((1 - target + positive) * torch.sigmoid(x) - positive)
    weighted = to_x if weight is None else to_x * weight
    return weighted / x.numel() if reduction == 1 else weighted  # 1 is the mean


def matmul_backward(grad, a, b, wanted):
    # Of a vector as of a matrix with one row, or column.
    left, right = a if a.dim() > 1 else a[None], b if b.dim() > 1 else b[:, None]
    grad = grad.unsqueeze(-1) if b.dim() == 1 else grad
    grad = grad.unsqueeze(-2) if a.dim() == 1 else grad
    to_a = (grad @ right.mT).sum_to_size(left.shape).view(a.shape) if wanted[0] else None
    return to_a, (left.mT @ grad).sum_to_size(right.shape).view(b.shape) if wanted[1] else None


FORMULAS = {formula.__name__: formula for formula in (
    npu_fast_gelu, npu_fast_gelu_backward, npu_swiglu, npu_swiglu_backward, npu_rms_norm, npu_rms_norm_backward, npu_add_rms_norm,
    npu_rotary_mul, npu_rotary_mul_backward, npu_scaled_masked_softmax, npu_scaled_masked_softmax_backward, npu_linear, npu_linear_backward,
    npu_binary_cross_entropy_with_logits_backward, matmul_backward)}


@functools.lru_cache(None)
def install():
    """Where torch_npu, or a later version of it, has a kernel for the CPU, that one stays. Above it, where a module moves as a whole, autograd
    goes through what a formula is made of."""
    libraries = {namespace: torch.library.Library(namespace, "IMPL") for namespace in NAMESPACES}
    for name in (*FORMULAS, *bisectd_torch_attention.KERNELS):
        namespace = "npu" if name.startswith("npu_") else "aten"
        packet = getattr(getattr(torch.ops, namespace), name, None)
        if packet and not has_key(packet.default, "CPU"):
            library = libraries[namespace]
            library.impl(name, FORMULAS.get(name) or bisectd_torch_attention.kernel(packet.default), "CPU")
            if namespace == "npu":
                library.impl(name, torch.library.fallthrough_kernel, "AutogradCPU")
    return libraries  # which must live as long as the process
