"""Operators of PyTorch that the shim moves to the CPU, lists or watches."""
from torch_space import SHIM, ShimAlone, main


class Operators(ShimAlone):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def test_with_nothing_listed_it_is_not_even_imported(self):
        code = "import standin_npu; print('bisectd_torch' in sys.modules)"
        self.assertEqual(self.run_code(code), ["False"])
        self.assertIn("True", self.run_code(code, BISECTD_TORCH_CPU_OPS="gelu"))

    def test_every_operator_that_runs_can_be_moved_in_double_precision(self):
        ran = [line.split()[2] for line in self.train("npu", "steps=3", BISECTD_TORCH_LIST_OPS="1", **SHIM) if " ran " in line]
        self.assertIn("native_layer_norm_backward", ran)
        self.assertIn("addmm", ran)
        lines = self.train("npu", "steps=8", BISECTD_TORCH_CPU_OPS=",".join(ran), **SHIM)
        moved = {line.split()[2] for line in lines if " moved " in line}
        self.assertEqual(moved, set(ran), self.last.stderr)
        for ours, cpu in zip(self.losses(lines), self.losses(self.train("steps=8")), strict=True):
            self.assertAlmostEqual(ours, cpu, places=5)

    def assert_can_move(self, names, expected):
        code = ("import bisectd_torch as b\n"
                f"for name in {names}:\n"
                "    try: [b.check_can_move(op) for op in b.overloads_of(name)[:1]]; print(name)\n"
                "    except b.CannotMove: pass\n")
        self.assertEqual(self.run_code(code), expected, self.last.stderr)

    def test_what_draws_random_numbers_is_refused_and_nothing_else(self):
        self.assert_can_move(["poisson", "normal", "rrelu_with_noise", "native_dropout", "native_dropout_backward", "gelu"],
                             ["native_dropout_backward", "gelu"])

    def test_what_only_makes_casts_or_copies_tensors_is_refused(self):
        self.assert_can_move(["empty", "empty_like", "new_empty", "zeros_like", "full", "arange", "clone", "copy_", "_to_copy", "contiguous",
                              "_unsafe_view", "resize_", "where", "cat", "fill_"], ["where", "cat", "fill_"])

    def test_what_the_cpu_has_no_kernel_for_is_refused_with_what_moves_in_its_place(self):
        code = ("import bisectd_torch as b\n"
                "library = torch.library.Library('npu', 'DEF')\n"
                "library.define('conv1d_backward(Tensor self) -> Tensor'); library.impl('conv1d_backward', lambda x: 2 * x, 'PrivateUse1')\n"
                "try: b.check_can_move(b.overloads_of('conv1d_backward')[0])\n"
                "except b.CannotMove as why: print(why)\n")
        self.assertEqual(self.run_code(code), ["the CPU has no kernel for it, and it is not made of other operators; "
                                               "conv1d moves with its backward"], self.last.stderr)

    def test_what_the_device_does_not_have_runs_on_the_cpu_already_with_torch_npu(self):
        code = ("import bisectd_torch_operators as b\n"
                "library = torch.library.Library('aten', 'IMPL')\n"
                "library.impl('lgamma.out', lambda x, *, out: x, 'PrivateUse1'); library.impl('tanh_', lambda x: x, 'PrivateUse1')\n"
                "print([name for name in ('lgamma', 'tanh', 'igamma', 'erf', 'convolution') if not b.falls_back(b.overloads_of(name)[0])])\n")
        self.assertEqual(self.run_code(code, BISECTD_TORCH_DEVICE="npu"), ["['lgamma', 'tanh', 'convolution']"], self.last.stderr)

    # A device whose pooling keeps what only it can read, as that of Ascend does.
    POOL = ("library = torch.library.Library('aten', 'IMPL')\n"
            "def forward(x, *how):\n"
            "    y, i = torch.ops.aten.max_pool2d_with_indices(x.cpu(), *how)\n"
            "    return y.to(x.device), i.to(torch.int8).flatten().to(x.device)\n"
            "def backward(g, x, k, s, p, d, c, i):\n"
            "    i = i.cpu().long().view(g.shape)\n"
            "    return 2 * torch.ops.aten.max_pool2d_with_indices_backward(g.cpu(), x.cpu(), k, s, p, d, c, i).to(x.device)\n"
            "{kernels}"
            "import standin_npu as s\n"
            "x = torch.arange(16.).reshape(1, 1, 4, 4).to(s.DEVICE).requires_grad_()\n"
            "torch.nn.functional.max_pool2d(x, 2).sum().backward()\n"
            "print(x.grad.cpu().sum().item())")
    KERNELS = ("library.impl('max_pool2d_with_indices', forward, 'PrivateUse1')\n"
               "library.impl('max_pool2d_with_indices_backward', backward, 'PrivateUse1')\n")
    PAIR = "max_pool2d_with_indices+max_pool2d_with_indices_backward"

    def test_what_shares_a_format_of_the_device_moves_together(self):
        code = self.POOL.format(kernels=self.KERNELS)
        listed = [line for line in self.run_code(code, BISECTD_TORCH_LIST_OPS="1") if "pool" in line]
        self.assertEqual(listed, [f"bisectd-torch: ran {self.PAIR} on the device"], self.last.stderr)
        self.assertEqual(self.run_code(code), ["8.0"])
        moved = self.run_code(code, BISECTD_TORCH_CPU_OPS=self.PAIR)
        self.assertEqual(moved, 2 * [f"bisectd-torch: moved {self.PAIR} (float32) to the CPU"] + ["4.0"], self.last.stderr)
        self.run_code(code, BISECTD_TORCH_CPU_OPS="max_pool2d_with_indices_backward")
        self.assertIn("bisectd-torch: cannot move max_pool2d_with_indices_backward: the CPU cannot compute it: ", self.last.stdout)

    def test_what_shares_a_format_that_the_cpu_reads_moves_alone(self):
        listed = [line.split()[2] for line in self.run_code(self.POOL.format(kernels=""), BISECTD_TORCH_LIST_OPS="1") if "pool" in line]
        self.assertEqual(listed, self.PAIR.split("+"), self.last.stderr)

    def test_what_the_cpu_has_only_in_the_precision_of_the_arguments(self):
        code = ("import standin_npu as s\n"
                "scale, growth, found = (torch.tensor([v]).to(s.DEVICE) for v in (8., 1, 0.))\n"
                "print(torch._amp_update_scale_(scale, growth.int(), found, 2., .5, 2).cpu().item(), scale.cpu().item())")
        cpu = "library = torch.library.Library('aten', 'IMPL')\n" \
              "def update(scale, growth, found, up, down, every):\n" \
              "    if scale.dtype != torch.float32: raise RuntimeError('float32 only')\n" \
              "    scale.mul_(up)\n" \
              "    return scale\n" \
              "library.impl('_amp_update_scale_', update, 'CPU')\n"
        self.assertEqual(self.run_code(cpu + code, BISECTD_TORCH_CPU_OPS="_amp_update_scale_"),
                         ["bisectd-torch: moved _amp_update_scale_ (float32) to the CPU", "16.0 16.0"], self.last.stderr)

    def test_what_copies_to_the_cpu_need_is_refused_and_does_not_call_itself(self):
        code = ("library = torch.library.Library('aten', 'IMPL')\n"
                "import standin_npu as s, bisectd_torch as b\n"
                "mover = b.Mover(torch.ops.aten.tanh.default, 'tanh')\n"
                "mover.on_cpu = lambda tensor: mover(tensor)\n"
                "mover(torch.ones(2).to(s.DEVICE))")
        self.assertEqual(self.run_code(code)[-1:], ["bisectd-torch: cannot move tanh: copies between the device and the CPU need it"])
        self.assertEqual(self.last.returncode, 3)

    def test_an_operator_that_is_made_of_others_moves_with_its_backward(self):
        code = ("import standin_npu as s\n"
                "x = torch.linspace(-1, 1, 12).reshape(3, 4).to(s.DEVICE).requires_grad_()\n"
                "y = torch.nn.functional.layer_norm(x, [4]); (y * y * y).sum().backward()\n"
                "print(y.dtype, y.device.type, round(y.cpu().abs().sum().item(), 3), round(x.grad.cpu().abs().sum().item(), 3))")
        wrong = {"STANDIN_NPU_FAULTS": "rounding=0;native_layer_norm*1.5;native_layer_norm_backward*1.5"}
        right = self.run_code(code)
        self.assertNotEqual(self.run_code(code, **wrong), right)
        moved = self.run_code(code, **wrong, BISECTD_TORCH_CPU_OPS="layer_norm")
        self.assertEqual(moved, ["bisectd-torch: moved layer_norm (float32) to the CPU", *right])

    def test_an_operator_of_the_optimizer_that_only_writes_moves(self):
        code = ("import standin_npu as s\n"
                "x = torch.linspace(-1, 1, 4).to(s.DEVICE).requires_grad_()\n"
                "optimizer = torch.optim.AdamW([x], lr=.1, foreach=True)\n"
                "for _ in range(3): (x * x).sum().backward(); optimizer.step(); optimizer.zero_grad()\n"
                "print([round(value, 5) for value in x.tolist()])")
        wrong = {"STANDIN_NPU_FAULTS": "rounding=0;_foreach_addcmul_*1.5;addcmul*1.5"}  # PyTorch 2 makes the first of the second
        right = self.run_code(code)
        self.assertNotEqual(self.run_code(code, **wrong), right)
        self.assertIn("bisectd-torch: ran _foreach_addcmul_.Scalar on the device", self.run_code(code, BISECTD_TORCH_LIST_OPS="1"))
        self.assertEqual(self.run_code(code, **wrong, BISECTD_TORCH_CPU_OPS="_foreach_addcmul_.Scalar"),
                         ["bisectd-torch: moved _foreach_addcmul_.Scalar (float32) to the CPU", *right], self.last.stderr)

    def test_of_an_operator_that_the_device_makes_of_others_these_are_listed(self):
        # Moved, the whole would mend a wrong mean in it: a fault that shows only while both are on the device.
        code = ("import standin_npu as s\n"
                "x = torch.linspace(-1, 1, 4).to(s.DEVICE).requires_grad_()\n"
                "class Loss(torch.nn.Module):\n"
                "    def forward(self, x): return torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones_like(x))\n"
                "loss = Loss()(x); loss.backward(); print(round(loss.item(), 6), [round(value, 6) for value in x.grad.tolist()])")
        right = self.run_code(code)
        for names, place in (("OPS", ""), ("MODULE_OPS", "Loss/forward/")):
            listed = self.run_code(code, **{f"BISECTD_TORCH_LIST_{names}": "1"})
            self.assertIn(f"bisectd-torch: ran {place}mean.dim on the device", listed, self.last.stderr)
            self.assertEqual([line for line in listed if "binary_cross" in line], [])
            self.assertEqual(listed[-1:], right)
            moved = self.run_code(code, STANDIN_NPU_FAULTS="rounding=0;mean*1.5", **{f"BISECTD_TORCH_CPU_{names}": place + "mean.dim"})
            self.assertEqual(moved, [f"bisectd-torch: moved {place}mean.dim (float32) to the CPU", *right])

    def test_what_cannot_move_is_named_where_it_runs(self):
        code = ("import standin_npu as s\n"
                "class Net(torch.nn.Module):\n"
                "    def forward(self, x): return torch.tanh(torch.nn.functional.dropout(x, 0.5))\n"
                "Net()(torch.ones(4).to(s.DEVICE))")
        for names, place in (("OPS", ""), ("MODULE_OPS", "Net/forward/")):
            listed = self.run_code(code, **{f"BISECTD_TORCH_LIST_{names}": "1"})
            draws = "(bernoulli_.float|native_dropout): it draws random numbers, and the CPU would draw others"  # the latter with PyTorch 2
            self.assertRegex("\n".join(listed), f"bisectd-torch: cannot move {place}{draws}")
            self.assertIn(f"bisectd-torch: ran {place}tanh on the device", listed)

    def test_a_mode_moves_what_has_a_python_kernel_of_the_device(self):
        # torch.library refuses a second Python kernel for one operator and key.
        code = ("library = torch.library.Library('aten', 'IMPL')\n"
                "library.impl('gelu', lambda x: 2 * torch.ops.aten.gelu(x.cpu()).to(x.device), 'PrivateUse1')\n"
                "import standin_npu as s\n"
                "x = torch.linspace(-1, 1, 5)\n"
                "print(round(torch.nn.functional.gelu(x.to(s.DEVICE)).sum().item(), 4))\n"
                "print(round(torch.nn.functional.gelu(x).sum().item(), 4), torch.ops.aten.tanh(x.to(s.DEVICE)).device.type)")
        self.assertEqual(self.run_code(code), ["1.7483", "0.8742 privateuseone"])
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="gelu,tanh"),
                         ["bisectd-torch: moved gelu (float32) to the CPU", "0.8742",
                          "bisectd-torch: moved tanh (float32) to the CPU", "0.8742 privateuseone"])

    def test_the_first_operator_that_makes_an_inf_is_named(self):
        # The mask of -inf and the sum with it make none: they were given it. The square of 1e30 is beyond float32.
        code = ("import standin_npu as s\n"
                "x = torch.full([3], 1e30).to(s.DEVICE)\n"
                "mask = torch.full([3], float('-inf')).to(s.DEVICE)\n"
                "print(torch.softmax(torch.zeros(3).to(s.DEVICE).masked_fill(x > 2e30, float('-inf')) , 0).sum().item() == 1)\n"
                "(x + mask).exp()\n"
                "(torch.tanh(x) * x).mul(x)\n"
                "print('not reached')")
        self.assertEqual(self.run_code(code, BISECTD_TORCH_FIRST_NOT_FINITE="1"),
                         ["True", "bisectd-torch: first inf or nan: mul.Tensor (float32)"], self.last.stderr)
        self.assertEqual(self.last.returncode, 3)
        self.assertEqual(self.run_code(code.replace(".mul(x)", "")), ["True", "not reached"])

    def test_an_operator_of_one_dtype(self):
        code = ("import standin_npu as s\n"
                "x = torch.linspace(-1, 1, 5).to(s.DEVICE)\n"
                "print(round(torch.tanh(x + 1).sum().item(), 2), round(torch.tanh(x.bfloat16() + 1).float().sum().item(), 2))")
        wrong = {"STANDIN_NPU_FAULTS": "rounding=0;tanh*2"}
        self.assertEqual(self.run_code(code, **wrong, BISECTD_TORCH_CPU_OPS="tanh@bfloat16"),
                         ["bisectd-torch: moved tanh@bfloat16 (bfloat16) to the CPU", "6.19 3.1"])
        listed = self.run_code(code, BISECTD_TORCH_LIST_OPS="dtypes")
        self.assertIn("bisectd-torch: ran tanh@bfloat16 on the device", listed)
        self.assertIn("bisectd-torch: ran tanh@float32 on the device", listed)
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="tanh@float17"),
                         ["bisectd-torch: cannot move tanh@float17: there is no dtype float17"])

    def test_a_name_that_does_not_exist_is_said_and_left_alone(self):
        lines = self.train("npu", BISECTD_TORCH_CPU_OPS="geluu,gelu,no_such,gelu.fast", **SHIM)
        self.assertEqual([line for line in lines if line.startswith("bisectd-torch")],
                         ["bisectd-torch: there is no operator geluu to move: the nearest name is gelu",
                          "bisectd-torch: there is no operator no_such to move: nor one of a name like it",
                          "bisectd-torch: there is no operator gelu.fast to move: of gelu there are default, out",
                          "bisectd-torch: moved gelu (float32) to the CPU"])
        self.assertEqual(self.last.returncode, 0)
        self.assertEqual(self.losses(lines), self.losses(self.train("npu", BISECTD_TORCH_CPU_OPS="gelu", **SHIM)))

    def test_the_precision_of_what_is_moved(self):
        code = ("import standin_npu as s\n"
                "x = torch.rand(50, 900, generator=torch.Generator().manual_seed(1)); y = x.t()\n"
                "moved = torch.mm(x.to(s.DEVICE), y.to(s.DEVICE)).cpu()\n"
                "print(torch.equal(moved, x.mm(y)), torch.equal(moved, x.double().mm(y.double()).float()))")
        moved = "bisectd-torch: moved mm (float32) to the CPU"
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="mm"), [moved, "False True"])
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="mm", BISECTD_TORCH_PRECISION="same"), [moved, "True False"])

    def test_half_precision_stays_half_outside(self):
        code = ("import standin_npu as s\n"
                "x = torch.linspace(-2, 2, 9).half().to(s.DEVICE)\n"
                "y = torch.ops.aten.tanh(x); z = x.clone(); z.mul_(2)\n"
                "print(y.dtype, y.device.type, z.dtype, z.cpu().float().sum().item())\n"
                "print((y.cpu().float() - torch.tanh(x.cpu().float())).abs().max().item() < 1e-3)")
        lines = self.run_code(code, BISECTD_TORCH_CPU_OPS="tanh,mul_.Tensor")
        self.assertEqual(lines[-2:], ["torch.float16 privateuseone torch.float16 0.0", "True"], self.last.stderr)
        self.assertIn("bisectd-torch: moved tanh (float16) to the CPU", lines)


if __name__ == "__main__":
    main()
