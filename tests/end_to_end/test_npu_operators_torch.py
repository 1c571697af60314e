"""Operators of the namespace npu, which torch_npu registers."""
from torch_space import ShimAlone, main


class Namespace(ShimAlone):
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
"""
        self.assertEqual(self.run_code(code), 9 * ["True"], self.last.stderr)

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
