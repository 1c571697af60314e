"""Operators of the namespace npu, which torch_npu registers."""
from torch_space import ShimAlone, main


class Namespace(ShimAlone):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    # As torch_npu registers its own: kernels of the device, twice too large here. The CPU has one of the first, too, computes the
    # second by others, and knows nothing of the third. The fourth has none of the device, whose fallback takes it to the CPU.
    NPU_OPERATORS = ("library = torch.library.Library('npu', 'DEF')\n"
                     "for name, key in ('kernel', 'CPU'), ('composite', 'CompositeImplicitAutograd'), ('alone', ''), ('fallback', 'CPU'):\n"
                     "    library.define(f'npu_{name}(Tensor self) -> Tensor')\n"
                     "    if key: library.impl(f'npu_{name}', lambda x: x + 1, key)\n"
                     "    if name != 'fallback': library.impl(f'npu_{name}', lambda x: 2 * (x + 1), 'PrivateUse1')\n"
                     "import standin_npu as s\n"
                     "x = torch.zeros(4).to(s.DEVICE)\n"
                     "guard = torch._C._AutoDispatchBelowAutograd()  # they have no derivatives\n"
                     "for name in 'kernel', 'composite', 'alone', 'fallback':\n"
                     "    print(getattr(torch.ops.npu, 'npu_' + name)(x).sum().item())")

    def test_operators_of_the_namespace_npu_move_where_the_cpu_can_compute_them(self):
        self.assertEqual(self.run_code(self.NPU_OPERATORS), ["8.0", "8.0", "8.0", "4.0"], self.last.stderr)
        moved = self.run_code(self.NPU_OPERATORS, BISECTD_TORCH_CPU_OPS="npu_kernel,npu_composite,npu_fallback")
        self.assertEqual([line for line in moved if not line.startswith("bisectd")], ["4.0", "4.0", "8.0", "4.0"], self.last.stderr)
        self.assertEqual([line.split()[2] for line in moved if " moved " in line], ["npu_kernel", "npu_composite", "npu_fallback"])
        refused = self.run_code(self.NPU_OPERATORS, BISECTD_TORCH_CPU_OPS="npu_alone")
        self.assertEqual(refused, ["bisectd-torch: cannot move npu_alone: the CPU has no kernel for it, and it is not made of other operators"])
        self.assertEqual(self.last.returncode, 3)

    def test_operators_of_the_namespace_npu_are_listed_with_why_they_cannot_move(self):
        lines = self.run_code(self.NPU_OPERATORS, BISECTD_TORCH_LIST_OPS="1")
        about = [line for line in lines if "npu_" in line]
        self.assertEqual(about, [*(f"bisectd-torch: ran npu_{name} on the device" for name in ("kernel", "composite", "alone")),
                                 "bisectd-torch: cannot move npu_alone: the CPU has no kernel for it, and it is not made of other operators",
                                 "bisectd-torch: ran npu_fallback on the device"], self.last.stderr)

    # Made of npu_alone on this device, by kernels above autograd as torch_npu has them.
    WHOLE = """\
library, aten = torch.library.Library('npu', 'DEF'), torch.library.Library('aten', 'IMPL')
library.define('npu_alone(Tensor self) -> Tensor')
library.impl('npu_alone', lambda x: 2 * (x + 1), 'PrivateUse1')
def alone(x):
    guard = torch._C._AutoDispatchBelowAutograd()
    return torch.ops.npu.npu_alone(x)
aten.impl('square', alone, 'AutogradPrivateUse1')
aten.impl('scaled_dot_product_attention', lambda q, *others, **more: alone(q), 'AutogradPrivateUse1')
import standin_npu as s
x = torch.zeros(4).to(s.DEVICE)
"""

    def test_where_an_operator_cannot_move_the_one_that_is_made_of_it_is_listed(self):
        attention, attend = "scaled_dot_product_attention", "torch._C._nn.scaled_dot_product_attention(x, x, x, None, {})"
        for call, whole, stays in (("torch.square(x)", "square", False), (attend.format(0), attention, False), (attend.format(.1), attention, True)):
            lines = self.run_code(self.WHOLE + call, BISECTD_TORCH_LIST_OPS="1")
            self.assertEqual({line.split()[2] for line in lines if " ran " in line}, {whole, "npu_alone"}, self.last.stderr)
            self.assertEqual([line.split(" cannot move ")[1] for line in lines if " cannot move " in line], [
                *[f"{whole}: it draws random numbers where there is dropout, and the CPU would draw others"] * stays,
                "npu_alone: the CPU has no kernel for it, and it is not made of other operators"])

    def test_formulas_of_backwards_are_the_derivatives_of_those_of_the_forwards(self):
        code = """\
import bisectd_torch_formulas as f
torch.manual_seed(0)
draw = lambda *shape: torch.randn(*shape, dtype=torch.float64, requires_grad=True)
def check(forward, backward, *inputs):
    result = forward(*inputs)
    grad = torch.randn_like(result)
    want, got = torch.autograd.grad(result, inputs, grad), backward(grad)
    got = got if isinstance(got, tuple) else (got,)
    print(all(a.shape == b.shape and torch.allclose(a, b, rtol=1e-10) for a, b in zip(want, got)) and len(want) == len(got))
x, q = draw(3, 4, 6), draw(2, 3, 4, 6)
check(f.npu_fast_gelu, lambda grad: f.npu_fast_gelu_backward(grad, x), x)
for dim in -1, 1:
    check(lambda x: f.npu_swiglu(x, dim), lambda grad: f.npu_swiglu_backward(grad, x, dim), x)
for shape in (6,), (4, 6):
    w = draw(*shape)
    check(lambda x, w: f.npu_rms_norm(x, w)[0], lambda grad: f.npu_rms_norm_backward(grad, x, w, f.npu_rms_norm(x, w)[1]), x, w)
for mode in "half", "interleave":
    for shape in (1, 1, 4, 6), (1, 3, 4, 6):
        c, s = draw(*shape), draw(*shape)
        check(lambda q, c, s: f.npu_rotary_mul(q, c, s, mode), lambda grad: f.npu_rotary_mul_backward(grad, q, c, s, mode), q, c, s)
hidden = torch.rand(4, 6) < .4
for triangle in False, True:
    softmax = lambda x: f.npu_scaled_masked_softmax(x, hidden, .5, triangle)
    check(softmax, lambda grad: f.npu_scaled_masked_softmax_backward(grad, softmax(x), hidden, .5, triangle), x)
w = draw(5, 6)
check(f.npu_linear, lambda grad: f.npu_linear_backward(grad, x, w), x, w)
for left, right in ((3, 4, 6), (6, 5)), ((4, 6), (2, 6, 3)), ((2, 1, 4, 6), (3, 6, 4)), ((6,), (2, 6, 3)), ((2, 4, 6), (6,)), ((6,), (6,)):
    check(torch.matmul, lambda grad: f.matmul_backward(grad, a, b, (True, True)), *(a := draw(*left), b := draw(*right)))
y, some, more = (torch.rand(*shape, dtype=torch.float64) for shape in ((3, 4, 6), (4, 6), (6,)))
for reduction, name in enumerate(("none", "mean", "sum")):
    for weight, pos in (None, None), (some, None), (None, more), (some, more):
        check(lambda x: torch.nn.functional.binary_cross_entropy_with_logits(x, y, weight, pos_weight=pos, reduction=name),
              lambda grad: f.npu_binary_cross_entropy_with_logits_backward(grad, x, y, weight, pos, reduction), x)
"""
        self.assertEqual(self.run_code(code), 30 * ["True"], self.last.stderr)

    # Attention of two sequences, four heads, four and six places: in every layout, with 4, 2 and 1 heads of the keys, and every mode; what is
    # not seen is written down here once more. With pse, which is added before or after the scores are scaled, or without;
    # with dropout, where it is added before.
    ATTENTION = """\
import itertools
from bisectd_torch_attention import Attention, dropout
torch.manual_seed(0)
dropout.bits = torch.randint(256, (2 * 4 * 4 * 6 // 8,), dtype=torch.uint8)
stays = torch.tensor([byte >> bit & 1 for byte in dropout.bits.tolist() for bit in range(8)]).view(2, 4, 4, 6).double()
column, row = torch.arange(6), torch.arange(4)[:, None]
any_mask = torch.rand(2, 1, 4, 6) < .4
any_mask[..., 0] = False
HIDDEN = {0: None, 1: any_mask, 2: column > row, 3: column > row + 2, 4: (column > row + 3) | (column < row), 5: any_mask[0, 0],
          6: (column > row + 2) & (column >= torch.tensor([4, 1]).view(2, 1, 1, 1))}
APART = {"BNSD": "b n s d", "BSND": "b s n d", "BSH": "b s n d", "SBH": "s b n d"}
def turned(x, layout, back=False):
    order = [APART[layout].split().index(one) for one in "bnsd"]
    return x.permute([order.index(i) for i in range(4)] if back else order)
def close(a, b, delta):
    return a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=delta)
wrong = tried = 0
for layout, heads, mode, shift in itertools.product(APART, (4, 2, 1), HIDDEN, (None, 1, 0)):
    keep = .7 if shift == 1 else 1
    def draw(heads, places):
        x = turned(torch.randn(2, heads, places, 8, dtype=torch.float64), layout, back=True).contiguous()
        return (x.flatten(2) if layout.endswith("H") else x).requires_grad_()
    def plain(q, k, v, pse):
        q, k, v = (turned(x.unflatten(2, (n, 8)) if x.dim() == 3 else x, layout) for x, n in ((q, 4), (k, heads), (v, heads)))
        k, v = (x.repeat_interleave(4 // heads, 1) for x in (k, v))
        scores = q @ k.mT * .3 + (pse * (.3 if shift == 1 else 1) if shift is not None else 0)
        if HIDDEN[mode] is not None: scores = scores.masked_fill(HIDDEN[mode], -torch.inf)
        result = turned(scores.softmax(-1) * (stays / .7 if keep < 1 else 1) @ v, layout, back=True)
        return result.flatten(2) if layout.endswith("H") else result
    inputs = draw(4, 4), draw(heads, 6), draw(heads, 6), torch.randn(1 + heads % 2, 4, 4, 6, dtype=torch.float64, requires_grad=True)
    want = plain(*inputs)
    grad = torch.randn_like(want)
    derivatives = torch.autograd.grad(want, inputs, grad, allow_unused=True)
    q, k, v, pse = (x.detach() for x in inputs)
    given = {"query": q, "key": k, "value": v, "head_num": 4, "input_layout": layout, "scale": .3, "sparse_mode": mode, "pre_tockens": 2,
             "keep_prob": keep, "next_tockens": 1, "prefix": [4, 1], "atten_mask": HIDDEN[mode] if mode in (1, 5) else None}
    if shift is not None: given.update(pse=pse, pse_type=shift)
    result, most, total, _ = Attention(given).forward()
    got = Attention({**given, "dy": grad, "attention_in": result, "softmax_max": most, "softmax_sum": total}).backward()
    tried += 1
    wrong += not (close(result, want, 1e-12) and all(close(a, b, 1e-5) for a, b in zip(got, derivatives) if b is not None))
print(tried, wrong)
"""

    def test_attention_is_that_of_the_manual_and_its_backward_the_derivative(self):
        self.assertEqual(self.run_code(self.ATTENTION), [f"{4 * 3 * 7 * 3} 0"], self.last.stderr)

    # Sequences of other lengths one behind the other (TND) are those that are computed one by one, forward and backward.
    PACKED = """\
from bisectd_torch_attention import Attention
torch.manual_seed(0)
def both(q, k, v, grad, layout, **ends):
    given = {"query": q, "key": k, "value": v, "head_num": 4, "input_layout": layout, "scale": .3, "sparse_mode": 3, **ends}
    result, most, total, _ = Attention(given).forward()
    back = Attention({**given, "dy": grad, "attention_in": result, "softmax_max": most, "softmax_sum": total}).backward()
    return result, *back[:3]
inputs = [torch.randn(places, heads, 8, dtype=torch.float64) for places, heads in ((10, 4), (12, 2), (12, 2), (10, 4))]
packed = both(*inputs, "TND", actual_seq_qlen=[4, 10], actual_seq_kvlen=torch.tensor([5, 12]))
split = [x.split((4, 6) if len(x) == 10 else (5, 7)) for x in inputs]
alone = [both(*(one[None] for one in parts), "BSND") for parts in zip(*split)]
print([torch.equal(one, torch.cat(parts, 1)[0]) for one, parts in zip(packed, zip(*alone))])
blind = both(*(torch.randn(1, places, 4, 8, dtype=torch.float64) for places in (5, 3, 3, 5)), "BSND")  # the first two see no key
print([one[:, :2].count_nonzero().item() for one in blind[:2]], all(one.isfinite().all() for one in blind))
"""

    def test_packed_sequences_are_computed_one_by_one_and_what_sees_no_key_is_0(self):
        self.assertEqual(self.run_code(self.PACKED), ["[True, True, True, True]", "[0, 0] True"], self.last.stderr)

    def test_formulas_of_forwards_are_those_of_the_manual(self):
        code = """\
import bisectd_torch_formulas as f
x, w = torch.tensor([[3., 4.]], dtype=torch.float64), torch.tensor([1., 2.], dtype=torch.float64)
print([round(v, 4) for v in f.npu_rms_norm(x, w, 0.)[0].flatten().tolist()], round(f.npu_rms_norm(x, w, 0.)[1].item(), 4))
print(round(f.npu_swiglu(x).item(), 4), [round(v, 4) for v in f.npu_fast_gelu(x).flatten().tolist()])
print(f.npu_rotary_mul(torch.arange(4.), torch.zeros(4), torch.ones(4)).tolist(),
      f.npu_rotary_mul(torch.arange(4.), torch.zeros(4), torch.ones(4), "interleave").tolist())
"""
        # 3 and 4 over the root of 12.5; 3 times 4 times the sigmoid of 3; 3 and 4 times the sigmoids of 1.702 as much.
        self.assertEqual(self.run_code(code), ["[0.8485, 2.2627] 0.2828", "11.4309 [2.9819, 3.9956]",
                                               "[-2.0, -3.0, 0.0, 1.0] [-1.0, 0.0, -3.0, 2.0]"], self.last.stderr)


if __name__ == "__main__":
    main()
