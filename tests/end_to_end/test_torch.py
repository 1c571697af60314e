"""Debian's PyTorch with a device of our own, and the shim of the preset torch-npu: what is planted is what is found."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from space import BISECTD, SOURCE, Space

TORCH = SOURCE / "examples/torch"
PYTHON = "/usr/bin/python3"
SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_TORCH_DEVICE": "privateuseone",
        "BISECTD_TORCH_AFTER": "standin_npu"}


class Torch(Space):
    def find(self, faults, suspects="{ops: {discover: true}}", code=1, discovery=""):
        experiment = (TORCH / "experiment.yaml").read_text()
        experiment = experiment.replace("train.py", str(TORCH / "train.py"))
        start = experiment.index("  environment: {STANDIN_NPU_FAULTS")
        experiment = experiment[:start] + f'  environment: {{STANDIN_NPU_FAULTS: "{faults}"}}\n' + experiment[experiment.index("\nmetric"):]
        experiment = experiment[:experiment.index("suspects:")] + f"suspects: {suspects}\n"
        experiment = experiment.replace("  modules: *standin", discovery or "  modules: *standin", 1)
        read = [TORCH / "train.py", TORCH / "standin_npu.py", SOURCE / "build/standin-torch/standin_npu.so"]
        self.write("experiment.yaml", self.with_recorded_reference(experiment, *read))
        done = self.bisectd("run", "experiment.yaml", code=code, timeout=600)
        return self.report(), done

    def test_a_forward_operator(self):
        report, _ = self.find("gelu*1.1")
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertGreater(len(report["suspects"]), 15)
        self.assertEqual(report["no_effect"], [])
        environment = {one["name"]: one["value"] for one in report["workaround"]["environment"]}
        self.assertEqual(environment["BISECTD_TORCH_CPU_OPS"], "gelu")
        self.assertTrue(environment["PYTHONPATH"].startswith(str(SOURCE / "configs/presets/python")))

    def test_a_backward_operator_and_an_interaction(self):
        report, _ = self.find("gelu_backward*1.5;tanh*1.4&gelu",
                              "{ops: [gelu_backward, tanh, tanh_backward, gelu, addmm, mm]}")
        self.assertEqual(self.causes(report), [["gelu", "tanh"], ["gelu_backward"]])

    def test_a_module_and_then_the_operators_that_it_uses(self):
        report, _ = self.find("gelu_backward*1.5", "{modules: {discover: true}}")
        self.assertEqual(self.culprits(report), ["modules:2"])
        self.assertEqual(len(report["suspects"]), 6)
        report, _ = self.find("gelu_backward*1.5", discovery="    discover: {environment: {BISECTD_TORCH_LIST_OPS_OF: '2'}}")
        self.assertEqual(self.culprits(report), ["ops:gelu_backward"])
        self.assertEqual([one["name"] for one in report["suspects"]], ["gelu", "gelu_backward"])

    def test_an_operator_that_cannot_be_moved(self):
        report, done = self.find("gelu*1.1", "{ops: [gelu, dropout, addmm]}")
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertIn("dropout", done.out)

    def test_settings_that_this_pytorch_does_not_have_are_without_effect(self):
        self.write("train.py", """\
            import sys, torch
            wrong = sys.argv[1] == "subject" and not torch.backends.cudnn.deterministic
            for step in range(1, 31): print(f"step {step} loss {(3 - step / 30) * (1.05 if wrong else 1)}", flush=True)
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: settings
            extends: torch-cuda
            reference: {{command: [{PYTHON}, train.py, reference], repeats: 2}}
            subject: {{command: [{PYTHON}, train.py, subject], devices: {{kind: cpu, ids: [0]}}}}
            perturb: none
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            suspects: {{flags: all}}
            """)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["flags:cudnn_deterministic"])
        self.assertEqual({one["name"] for one in report["no_effect"]}, {"cudnn_attention", "mem_efficient_attention", "bf16_reduction"})
        self.assertEqual({trial["verdict"] for trial in report["trial_list"]} & {"unresolved"}, set())

    def test_a_wrong_operator_of_torch_npu_and_one_that_cannot_be_neutralised(self):
        self.write("npu.py", f"""\
            import os, sys
            sys.path.insert(0, "{TORCH}")
            import torch
            library = torch.library.Library("npu", "DEF")
            for name in "npu_kernel", "npu_alone":
                library.define(name + "(Tensor self) -> Tensor")
            library.impl("npu_kernel", lambda x: torch.tanh(x), "CPU")
            library.impl("npu_kernel", lambda x: torch.tanh(x) * float(os.environ.get("WRONG", 1)), "PrivateUse1")
            library.impl("npu_alone", lambda x: x * 0.5, "PrivateUse1")
            import standin_npu
            guard = torch._C._AutoDispatchBelowAutograd()  # they have no derivatives
            weight = torch.ones(8).to(standin_npu.DEVICE)
            for step in range(1, 61):
                value = torch.ops.npu.npu_kernel(torch.ops.npu.npu_alone(weight) + 1 / step)
                print("step", step, "loss", value.sum().item())
            """)
        self.write("experiment.yaml", f"""\
            version: 1
            name: namespace
            extends: torch-npu
            reference: {{command: [{PYTHON}, npu.py], environment: {{STANDIN_NPU_MAKE: gpu}}, repeats: 2, perturb: none}}
            subject:
              command: [{PYTHON}, npu.py]
              devices: {{ids: [0, 1], visible_variable: none}}
              environment: {{WRONG: "1.2"}}
              perturb: none
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            families: {{ops: {{environment: {{BISECTD_TORCH_DEVICE: privateuseone, BISECTD_TORCH_AFTER: standin_npu}}}}}}
            suspects: {{ops: {{discover: true}}}}
            """)
        told = self.bisectd("discover", "experiment.yaml", code=0).out
        self.assertIn("\n  npu_alone  (cannot be neutralised; the log says why)\n", told)
        self.assertIn("\n  npu_kernel\n", told)
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:npu_kernel"])
        stays, = report["no_effect"]
        self.assertEqual((stays["name"], stays["why"]), ("npu_alone", "it cannot be neutralised, as the discovery run says"))


class Device(unittest.TestCase):
    """The stand-in's own manners."""

    def losses(self, *words, **environment):
        done = subprocess.run([PYTHON, *words], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
        return [float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("step ")]

    def test_it_rounds_by_make_and_repeats_itself(self):
        run = lambda **environment: self.losses(TORCH / "train.py", "npu", "steps=30", **environment)
        cpu, npu, gpu = self.losses(TORCH / "train.py", "steps=30"), run(), run(STANDIN_NPU_MAKE="gpu")
        self.assertEqual(npu, run())
        for one, other in ((cpu, npu), (npu, gpu), (gpu, cpu)):
            self.assertNotEqual(one, other)
            for a, b in zip(one, other, strict=True):
                self.assertAlmostEqual(a / b, 1, delta=1e-3)
        coarse = run(STANDIN_NPU_FAULTS="rounding=1e-4")
        self.assertGreater(abs(coarse[0] - cpu[0]), 5 * abs(npu[0] - cpu[0]))

    def test_a_network_with_convolutions(self):
        code = (f"import sys; sys.path.insert(0, '{TORCH}'); import torch, standin_npu as s\n"
                "for device in ('cpu', s.DEVICE):\n"
                "    torch.manual_seed(1); nn = torch.nn\n"
                "    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, groups=2),\n"
                "                        nn.Flatten(), nn.Linear(16, 1)).to(device)\n"
                "    net(torch.randn(8, 1, 10, 10).to(device)).square().mean().backward()\n"
                "    for p in net.parameters(): print('step', p.grad.cpu().abs().sum().item())")
        exact = self.losses("-c", code, STANDIN_NPU_FAULTS="rounding=0")
        self.assertEqual(exact[:8], exact[8:])
        rounded = self.losses("-c", code, STANDIN_NPU_FAULTS="rounding=1e-4")
        self.assertGreater(rounded[9], 20 * rounded[1])  # the gradient of the bias before the normalisation: zero but for rounding
        for cpu, npu in [*zip(rounded[:8], rounded[8:])][2:]:
            self.assertAlmostEqual(npu / cpu, 1, delta=2e-3)


class Shim(unittest.TestCase):
    """The shim alone, on a device that does not round: what is moved is exactly the CPU's."""

    @classmethod
    def setUpClass(cls):
        os.environ["STANDIN_NPU_FAULTS"] = "rounding=0"
        cls.addClassCleanup(os.environ.pop, "STANDIN_NPU_FAULTS")

    def train(self, *words, **environment):
        done = subprocess.run([PYTHON, TORCH / "train.py", *words], env={**os.environ, **environment}, capture_output=True,
                              text=True, timeout=120)
        self.last = done
        return done.stdout.splitlines()

    def losses(self, lines):
        return [float(line.split()[3]) for line in lines if line.startswith("step ")]

    def test_with_nothing_listed_it_is_not_even_imported(self):
        words = [PYTHON, "-c", f"import sys; sys.path.insert(0, '{TORCH}'); import standin_npu; print('bisectd_torch' in sys.modules)"]
        loaded = lambda **more: subprocess.run(words, env={**os.environ, **SHIM, **more}, capture_output=True, text=True).stdout
        self.assertEqual(loaded(), "False\n")
        self.assertIn("True\n", loaded(BISECTD_TORCH_CPU_OPS="gelu"))

    def test_every_operator_that_runs_can_be_moved_in_double_precision(self):
        ran = [line.split()[2] for line in self.train("npu", "steps=3", BISECTD_TORCH_LIST_OPS="1", **SHIM) if " ran " in line]
        self.assertIn("native_layer_norm_backward", ran)
        self.assertIn("addmm", ran)
        lines = self.train("npu", "steps=8", BISECTD_TORCH_CPU_OPS=",".join(ran), **SHIM)
        moved = {line.split()[2] for line in lines if " moved " in line}
        self.assertEqual(moved, set(ran), self.last.stderr)
        for ours, cpu in zip(self.losses(lines), self.losses(self.train("steps=8")), strict=True):
            self.assertAlmostEqual(ours, cpu, places=5)

    def test_a_module_moves_with_its_gradients_and_its_running_statistics(self):
        code = (f"import sys; sys.path.insert(0, '{TORCH}'); import torch, standin_npu as s\n"
                "torch.manual_seed(1)\n"
                "net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1)).to(s.DEVICE)\n"
                "net(torch.randn(16, 4).to(s.DEVICE)).sum().backward()\n"
                "print([round(p.grad.cpu().abs().sum().item(), 4) for p in net.parameters()], net[1].running_mean.cpu().sum().item())")
        run = lambda **more: subprocess.run([PYTHON, "-c", code], env={**os.environ, **more}, capture_output=True, text=True).stdout
        moved = run(**SHIM, BISECTD_TORCH_CPU_MODULES="1,2").splitlines()
        self.assertEqual(sorted(moved[:2]), ["bisectd-torch: moved module 1 to the CPU", "bisectd-torch: moved module 2 to the CPU"])
        gradients, mean = (line.rsplit(" ", 1) for line in (moved[2], run().strip()))
        self.assertEqual(gradients[0], mean[0])
        self.assertAlmostEqual(float(gradients[1]), float(mean[1]), places=5)

    def run_code(self, code, **environment):
        code = f"import sys; sys.path.insert(0, '{TORCH}'); import torch\n" + code
        self.last = subprocess.run([PYTHON, "-c", code], env={**os.environ, **SHIM, **environment}, capture_output=True, text=True)
        return self.last.stdout.splitlines()

    def test_what_draws_random_numbers_is_refused_and_nothing_else(self):
        code = ("import bisectd_torch as b\n"
                "for name in ('poisson', 'normal', 'rrelu_with_noise', 'native_dropout', 'native_dropout_backward', 'gelu'):\n"
                "    try: [b.check_can_move(op) for op in b.overloads_of(name)[:1]]; print(name)\n"
                "    except b.CannotMove: pass\n")
        self.assertEqual(self.run_code(code), ["native_dropout_backward", "gelu"], self.last.stderr)

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

    def test_a_name_that_does_not_exist_ends_the_training(self):
        lines = self.train("npu", BISECTD_TORCH_CPU_OPS="gelu,no_such", **SHIM)
        self.assertEqual(lines, ["bisectd-torch: cannot move no_such: there is no such operator"])
        self.assertEqual(self.last.returncode, 3)

    def torch_npu(self):
        """A folder with a module that stands in for torch_npu and prints what it is told."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name, "torch_npu.py").write_text(
            "import types, torch\n"
            "class Part:\n"
            "    def __init__(self, name): self.__dict__['name'] = name\n"
            "    def __setattr__(self, key, value): print(f'{self.name}.{key}={value}')\n"
            "torch.npu = types.SimpleNamespace(\n"
            "    conv=Part('conv'), matmul=Part('matmul'), aclnn=Part('aclnn'), config=Part('config'),\n"
            "    set_compile_mode=lambda jit_compile: print(f'jit_compile={jit_compile}'),\n"
            "    set_option=lambda options: print(f'option {options}'))\n")
        return folder.name

    def with_torch_npu(self, code, **environment):
        path = f"{SOURCE / 'configs/presets/python'}:{self.torch_npu()}"
        self.last = subprocess.run([PYTHON, "-c", code], env={**os.environ, "PYTHONPATH": path, **environment},
                                   capture_output=True, text=True)
        return self.last.stdout.splitlines()

    def test_settings_that_torch_npu_takes_as_calls(self):
        listed = subprocess.run([BISECTD, "families", "torch-npu", "--json"], capture_output=True, text=True, check=True).stdout
        called = {one["delivery"].removeprefix("variable "): one["safe"] for one in json.loads(listed)["flags"]["switches"].values()
                  if "BISECTD_TORCH_" in one["delivery"]}
        code = "import torch_npu, torch; print('deterministic', torch.are_deterministic_algorithms_enabled())"
        lines = self.with_torch_npu(code, **called)
        self.assertEqual(sorted(line for line in lines if not line.startswith("bisectd-torch: set ")),
                         ["aclnn.allow_hf32=False", "config.allow_internal_format=False", "conv.allow_hf32=False",
                          "deterministic True", "jit_compile=False", "matmul.allow_hf32=False",
                          "option {'ACL_OP_SELECT_IMPL_MODE': 'high_precision'}",
                          "option {'ACL_PRECISION_MODE': 'must_keep_origin_dtype'}"], self.last.stderr)
        self.assertIn("bisectd-torch: set ACL_PRECISION_MODE to must_keep_origin_dtype", lines)
        self.assertEqual(len(called), sum(line.startswith("bisectd-torch: set ") for line in lines))
        on = self.with_torch_npu(code, BISECTD_TORCH_SET_conv_hf32="1", BISECTD_TORCH_SET_deterministic_algorithms="0")
        self.assertIn("conv.allow_hf32=True", on)
        self.assertIn("deterministic False", on)
        self.assertEqual(self.with_torch_npu(code), ["deterministic False"])

    def test_settings_of_a_gpu(self):
        """PyTorch keeps them without one."""
        listed = subprocess.run([BISECTD, "families", "torch-cuda", "--json"], capture_output=True, text=True, check=True).stdout
        called = {one["delivery"].removeprefix("variable "): one["safe"] for one in json.loads(listed)["flags"]["switches"].values()
                  if "BISECTD_TORCH_" in one["delivery"]}
        code = ("import torch; b = torch.backends\n"
                "print(b.cuda.matmul.allow_tf32, b.cuda.matmul.allow_fp16_reduced_precision_reduction, b.cudnn.allow_tf32, b.cudnn.benchmark,\n"
                "      b.cudnn.deterministic, torch.are_deterministic_algorithms_enabled())")
        unset = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch")
        self.assertEqual(unset, ["False True True False False False"], self.last.stderr)
        done = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", **called)
        self.assertEqual(done[-1], "False False False False True True", self.last.stderr)
        absent = {line.split()[3].rstrip(":") for line in done if line.startswith("bisectd-torch: cannot set ")}
        self.assertEqual(absent, {"cudnn_attention", "mem_efficient_attention", "bf16_reduction"})  # PyTorch 2
        self.assertEqual(len(done), len(called) + 1)
        on = self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", BISECTD_TORCH_SET_matmul_tf32="1", BISECTD_TORCH_SET_cudnn_benchmark="1")
        self.assertEqual(on[-1], "True True True True False False")

    def test_deterministic_algorithms_warn_and_raise_only_where_asked(self):
        code = "import os, torch; print(torch.is_deterministic_algorithms_warn_only_enabled(), os.environ.get('CUBLAS_WORKSPACE_CONFIG'))"
        name = "BISECTD_TORCH_SET_deterministic_algorithms"
        listed = json.loads(subprocess.run([BISECTD, "families", "torch-cuda", "--json"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(listed["flags"]["switches"]["deterministic_algorithms"]["safe"], "warn")
        for value, said in (("warn", "True None"), ("1", "False :4096:8"), ("0", "False None")):
            with self.subTest(value):
                self.assertEqual(self.with_torch_npu(code, BISECTD_TORCH_AFTER="torch", **{name: value})[-1], said, self.last.stderr)

    def test_a_setting_that_does_not_exist_ends_the_training(self):
        self.assertNotIn("trains", self.with_torch_npu("import torch_npu; print('trains')", BISECTD_TORCH_SET_no_such="1"))
        self.assertIn("no_such", self.last.stderr)

    def test_the_precision_of_what_is_moved(self):
        code = ("import standin_npu as s\n"
                "x = torch.rand(50, 900, generator=torch.Generator().manual_seed(1)); y = x.t()\n"
                "moved = torch.mm(x.to(s.DEVICE), y.to(s.DEVICE)).cpu()\n"
                "print(torch.equal(moved, x.mm(y)), torch.equal(moved, x.double().mm(y.double()).float()))")
        moved = "bisectd-torch: moved mm (float32) to the CPU"
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="mm"), [moved, "False True"])
        self.assertEqual(self.run_code(code, BISECTD_TORCH_CPU_OPS="mm", BISECTD_TORCH_PRECISION="same"), [moved, "True False"])

    def test_half_precision_stays_half_outside(self):
        code = (f"import sys; sys.path.insert(0, '{TORCH}'); import torch, standin_npu as s\n"
                "x = torch.linspace(-2, 2, 9).half().to(s.DEVICE)\n"
                "y = torch.ops.aten.tanh(x); z = x.clone(); z.mul_(2)\n"
                "print(y.dtype, y.device.type, z.dtype, z.cpu().float().sum().item())\n"
                "print((y.cpu().float() - torch.tanh(x.cpu().float())).abs().max().item() < 1e-3)")
        done = subprocess.run([PYTHON, "-c", code], env={**os.environ, **SHIM, "BISECTD_TORCH_CPU_OPS": "tanh,mul_.Tensor"},
                              capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines()[-2:], ["torch.float16 privateuseone torch.float16 0.0", "True"], done.stderr)
        self.assertIn("bisectd-torch: moved tanh (float16) to the CPU", done.stdout)


if __name__ == "__main__":
    subprocess.run([TORCH / "build"], check=True)
    unittest.main()
