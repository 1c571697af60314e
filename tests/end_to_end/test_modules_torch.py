"""Modules of PyTorch that the shim moves to the CPU or lists."""
from torch_space import ShimAlone, main


class Modules(ShimAlone):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def test_a_module_moves_with_its_gradients_and_its_running_statistics(self):
        code = ("import standin_npu as s\n"
                "torch.manual_seed(1)\n"
                "net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1)).to(s.DEVICE)\n"
                "net(torch.randn(16, 4).to(s.DEVICE)).sum().backward()\n"
                "print([round(p.grad.cpu().abs().sum().item(), 4) for p in net.parameters()], net[1].running_mean.cpu().sum().item())")
        moved = self.run_code(code, BISECTD_TORCH_CPU_MODULES="1,2")
        self.assertEqual(sorted(moved[:2]), ["bisectd-torch: moved module 1 to the CPU", "bisectd-torch: moved module 2 to the CPU"])
        gradients, mean = (line.rsplit(" ", 1) for line in (moved[2], *self.run_code(code)))
        self.assertEqual(gradients[0], mean[0])
        self.assertAlmostEqual(float(gradients[1]), float(mean[1]), places=5)

    def test_a_module_moves_without_those_within_it(self):
        code = ("import standin_npu as s\n"
                "class Block(torch.nn.Module):\n"
                "    def __init__(self):\n"
                "        super().__init__(); self.inner = torch.nn.GELU(); self.scale = torch.nn.Parameter(torch.ones(1))\n"
                "    def forward(self, x):\n"
                "        return torch.tanh(self.inner(torch.relu(x) * self.scale))\n"
                "net = Block().to(s.DEVICE)\n"
                "y = net(torch.linspace(-1, 1, 5).to(s.DEVICE)); y.sum().backward()\n"
                "print(y.dtype, y.device.type, round(y.sum().item(), 4), net.scale.grad.device.type, round(net.scale.grad.item(), 4))")
        wrong = {"STANDIN_NPU_FAULTS": "rounding=0;gelu*1.5;tanh*1.5;tanh_backward*3"}
        inner_wrong = {"STANDIN_NPU_FAULTS": "rounding=0;gelu*1.5"}
        expected = self.run_code(code, **inner_wrong)
        self.assertEqual(self.run_code(code, **wrong, BISECTD_TORCH_CPU_MODULES="Block"),
                         ["bisectd-torch: moved module Block to the CPU", *expected])
        both = self.run_code(code, **wrong, BISECTD_TORCH_CPU_MODULES="Block,inner")
        self.assertEqual(both[2:], self.run_code(code))

    def test_a_module_that_draws_random_numbers_is_refused(self):
        code = ("import standin_npu as s\n"
                "net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5)).to(s.DEVICE)\n"
                "net(torch.ones(2).to(s.DEVICE))")
        self.assertIn("cannot move module 1: it draws random numbers", self.run_code(code, BISECTD_TORCH_CPU_MODULES="0,1")[-1])
        self.assertEqual(self.last.returncode, 3)

    def test_modules_that_draw_random_numbers_are_not_listed(self):
        code = ("import standin_npu as s\n"
                "net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5), torch.nn.RReLU(), torch.nn.ReLU(),\n"
                "                          torch.nn.Dropout(0))\n"
                "torch.nn.init.constant_(net[0].weight, -1)  # RReLU draws for what is negative only\n"
                "net = net.to(s.DEVICE)\n"
                "net(torch.ones(2).to(s.DEVICE))")
        lines = self.run_code(code, BISECTD_TORCH_LIST_MODULES="1")
        self.assertEqual([line.split()[3] for line in lines], ["0", "3", "4"], self.last.stderr)


if __name__ == "__main__":
    main()
