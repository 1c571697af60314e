"""Guilty modules, then their operators, in one run: `then`, with PyTorch on the stand-in device."""
from torch_space import ShimAlone, TorchSpace, main


class Torch(TorchSpace):
    def test_a_pass_of_a_module_and_then_its_operator(self):
        report, _ = self.find("gelu_backward*1.5", "{module_passes: {discover: true, then: ops}}")
        self.assertEqual(self.culprits(report), ["module_ops:2/backward/gelu_backward"])
        self.assertEqual([one["name"] for one in report["descent"]["opened"]], ["2/backward"])
        self.assertEqual([one["name"] for one in report["descent"]["suspects"]], ["2/backward/gelu_backward"])
        self.assertEqual(report["no_effect"], [])
        environment = {one["name"]: one["value"] for one in report["workaround"]["environment"]}
        self.assertEqual(environment["BISECTD_TORCH_CPU_MODULE_OPS"], "2/backward/gelu_backward")


class Within(ShimAlone):
    CODE = """
import standin_npu as s
torch.manual_seed(1)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.relu, self.last = torch.nn.Linear(4, 8), torch.nn.ReLU(inplace=True), torch.nn.Linear(8, 2)
        self.scale = torch.nn.Parameter(torch.ones(4))
    def forward(self, x):
        scale = self.scale * 2  # before the first module, whose input needs no gradient
        return self.last(self.relu(self.first(x))) * scale[:2]
net = Net().to(s.DEVICE)
net(torch.randn(6, 4).to(s.DEVICE)).square().mean().backward()
torch.optim.SGD(net.parameters(), lr=.1).step()
print({name: round(p.grad.cpu().abs().sum().item(), 4) for name, p in net.named_parameters()})
"""

    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def step(self, faults="", **environment):
        lines = self.run_code(self.CODE, STANDIN_NPU_FAULTS="rounding=0" + faults, **environment)
        return [line.removeprefix("bisectd-torch: ") for line in lines[:-1]], lines[-1]

    def test_each_operator_is_listed_with_the_module_that_runs_it(self):
        lines, _ = self.step(BISECTD_TORCH_LIST_MODULE_OPS="1")
        ran = {line.split()[1] for line in lines}
        self.assertLessEqual({"first/forward/addmm", "relu/forward/relu_", "last/forward/addmm", "Net/forward/mul.Tensor", "last/backward/mm",
                              "relu/backward/threshold_backward", "first/backward/mm", "Net/backward/mul.Tensor"}, ran, self.last.stderr)
        self.assertEqual({name for name in ran if "mean" in name or "pow" in name or "add_" in name},
                         {"outside/forward/mean.dim", "outside/forward/pow.Tensor_Scalar", "outside/backward/pow.Tensor_Scalar",
                          "outside/forward/_foreach_add_.List"}, "the loss and the optimizer are no modules")
        self.assertFalse({name for name in ran if name.startswith(("first/backward/mul", "relu/backward/mm", "relu/forward/addmm"))}, ran)
        lines, _ = self.step(BISECTD_TORCH_LIST_MODULE_PASSES="1")
        self.assertEqual({line.split()[1] for line in lines},
                         {f"{module}/{one}" for module in ("Net", "first", "relu", "last", "outside") for one in ("forward", "backward")})

    def test_an_operator_moves_in_one_module_and_pass_only(self):
        _, right = self.step()
        _, wrong = self.step(";mm*1.5")
        lines, one = self.step(";mm*1.5", BISECTD_TORCH_CPU_MODULE_OPS="last/backward/mm")
        self.assertEqual(lines, ["moved last/backward/mm (float32) to the CPU"], self.last.stderr)
        right, wrong, one = eval(right), eval(wrong), eval(one)
        self.assertEqual(one["last.weight"], right["last.weight"])
        self.assertNotEqual(one["first.weight"], right["first.weight"])
        self.assertNotEqual(one["first.weight"], wrong["first.weight"])  # its own operator is wrong, what it gets is not
        for names in ({"BISECTD_TORCH_CPU_MODULE_OPS": "last/backward/mm,first/backward/mm"},
                      {"BISECTD_TORCH_CPU_MODULE_PASSES": "last/backward,first/backward"}):
            self.assertEqual(eval(self.step(";mm*1.5", **names)[1]), right)
        lines, forward = self.step(";mm*1.5", BISECTD_TORCH_CPU_MODULE_PASSES="last/forward,first/forward")
        self.assertEqual(eval(forward), wrong)
        self.assertEqual(self.last.returncode, 0, self.last.stderr)

    def test_a_view_of_before_autograd_was_on_that_was_written_to(self):
        code = "import standin_npu; torch.nn.Embedding(4, 4, padding_idx=0); print('made')"
        self.assertEqual(self.run_code(code, BISECTD_TORCH_LIST_MODULE_OPS="1"), ["made"], self.last.stderr)

    def test_a_name_without_a_pass_ends_the_training(self):
        self.assertIn("cannot move mm: it names no pass of a module", self.run_code(self.CODE, BISECTD_TORCH_CPU_MODULE_OPS="mm")[-1])
        self.assertEqual(self.last.returncode, 3)


if __name__ == "__main__":
    main()
