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


if __name__ == "__main__":
    main()
