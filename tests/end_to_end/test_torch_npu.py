"""The real torch_npu on the stand-in CANN of examples/torch_npu."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import textwrap
import unittest

import warm_start
from space import SOURCE, Space

EXAMPLE = SOURCE / "examples/torch_npu"
ENVIRONMENT = SOURCE / "build/torch-npu"
PYTHON = ENVIRONMENT / "bin/python"
CANN = {"LD_LIBRARY_PATH": str(ENVIRONMENT / "cann")}
SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_TORCH_AFTER": "torch_npu"}
WARM = warm_start.__file__, "torch.socket"
POOL = "max_pool2d_with_indices+max_pool2d_with_indices_backward"

# A convolution, pooling and dropout: what of them only the device can read is not shared with the CPU.
CNN = """\
    import sys, torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
    layers = torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8 * 7 * 7, 4)
    model = torch.nn.Sequential(*layers, *([torch.nn.Dropout(.1)] if "dropout" in sys.argv else [])).to("npu")
    optimizer = torch.optim.SGD(model.parameters(), lr=.02)
    drawn = torch.Generator().manual_seed(1)
    for step in range(1, 61):
        x, target = torch.randn(16, 1, 16, 16, generator=drawn), torch.randint(4, (16,), generator=drawn)
        x.view(16, 4, 64)[range(16), target] += .4
        loss = torch.nn.functional.cross_entropy(model(x.to("npu")), target.to("npu"))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.6f}", flush=True)
        if "short" in sys.argv: break
    """


class TorchNpu(Space):
    """All trainings of a class begin in one process that has imported torch_npu."""

    @classmethod
    def setUpClass(cls):
        cls.socket = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "socket")
        cls.enterClassContext(warm_start.serving(PYTHON, cls.socket, warm_start.OF_TORCH_NPU, {**os.environ, **CANN, "OMP_NUM_THREADS": "1"}))

    def setUp(self):
        super().setUp()
        self.write("cnn.py", textwrap.dedent(CNN))
        (self.folder / "torch.socket").symlink_to(self.socket)

    def run_python(self, *words, code=0, **environment):
        environment = {**os.environ, **CANN, **environment}
        self.last = subprocess.run([PYTHON, *WARM, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(self.last.returncode, code, self.last.stderr)
        return self.last.stdout.splitlines()

    def losses(self, *words, **environment):
        return [float(line.split()[3]) for line in self.run_python(*words, **environment) if line.startswith("step ")]

    def faults(self, *faults, **more):
        self.write("faults.json", json.dumps({"faults": list(faults), **more}))
        return {"STANDIN_CANN_FAULTS": str(self.folder / "faults.json")}


class StandIn(TorchNpu):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def test_it_trains_as_the_cpu_does_and_rounds_by_its_make(self):
        train = EXAMPLE / "train.py", "--steps", "20", "--attention"
        for attention in "plain", "fused":
            on_cpu = self.losses(*train, attention, "--device", "cpu")
            for ours, cpu in zip(self.losses(*train, attention, **self.faults(rounding=0)), on_cpu, strict=True):
                self.assertAlmostEqual(ours, cpu, delta=2e-4 * cpu)
        one, other = (self.losses(*train, "fused", STANDIN_CANN_MAKE=make, **self.faults(rounding=1e-4)) for make in ("npu", "gpu"))
        self.assertNotEqual(one, other)
        # What stood in memory before is chance, and must not matter.
        self.assertEqual(self.losses(*train, "fused", STANDIN_CANN_MAKE="npu", MALLOC_PERTURB_="165", **self.faults(rounding=1e-4)), one)
        for ours, theirs in zip(one, other, strict=True):
            self.assertAlmostEqual(ours, theirs, delta=2e-2 * theirs)

    def test_a_wrong_fault_file_is_told(self):
        for fault, said in (({"op": "aclnnTresholdBackward", "relative": 1}, "faults[0].op: the stand-in has no operator 'aclnnTresholdBackward'; "
                             "did you mean 'aclnnThresholdBackward'?"),
                            ({"op": "aclnnRelu", "relativ": 1}, "faults[0]: unknown key 'relativ'; did you mean 'relative'?"),
                            ({"op": "aclnnRelu"}, "faults[0]: nothing goes wrong"),
                            ({"op": "aclnnRelu", "fraction": 2, "relative": 1}, "faults[0].fraction: 2 is not a number in its range")):
            self.run_python("cnn.py", "short", code=2, **self.faults(fault))
            self.assertIn(said, self.last.stderr)

    def test_wrong_arguments_are_refused(self):
        code = ("import torch\n"
                "x = torch.ones(2, 3).to('npu')\n"
                "try: torch.mm(x, x, out=torch.empty(2, 2).to('npu')); torch.npu.synchronize()\n"
                "except RuntimeError as error: print('refused')")
        self.assertIn("refused", self.run_python("-c", code))


class Operators(TorchNpu):
    @classmethod
    def setUpClass(cls):  # its own, so that they are one test of ctest
        super().setUpClass()

    def listed(self, *words):
        lines = self.run_python(*words, BISECTD_TORCH_LIST_OPS="1", **SHIM)
        said = lambda start: [line[len(start):] for line in lines if line.startswith(start)]
        return {line.split()[0] for line in said("bisectd-torch: ran ")}, dict(line.split(": ", 1) for line in said("bisectd-torch: cannot move "))

    def test_what_can_move_is_listed_and_moves(self):
        ran, stay = self.listed("cnn.py", "short", "dropout")
        self.assertIn(POOL, ran)
        self.assertEqual(ran & {"clone", "ones_like", "zeros_like", "_to_copy", *POOL.split("+")}, set())
        self.assertEqual(stay, {"native_dropout": "it draws random numbers, and the CPU would draw others",
                                "native_dropout_backward": "with native_dropout it shares what only the device can read, and that one cannot move: "
                                "it draws random numbers, and the CPU would draw others"})
        for names in (ran - set(stay), {POOL}):
            lines = self.run_python("cnn.py", "short", BISECTD_TORCH_CPU_OPS=",".join(names), **SHIM)
            self.assertEqual({line.split()[2] for line in lines if line.startswith("bisectd-torch: moved ")}, names)

    def test_fused_attention_moves_forward_and_backward_apart(self):
        pair = ["npu_fusion_attention_v3", "npu_fusion_attention_grad_v3"]
        ran, stay = self.listed(EXAMPLE / "train.py", "--steps", "1")
        self.assertLessEqual(set(pair), ran)
        self.assertEqual(stay, {})
        self.assertNotIn("scaled_dot_product_attention", ran)
        train = EXAMPLE / "train.py", "--steps", "4"
        expected = self.losses(*train, **self.faults(rounding=0))
        for name, wrong in zip((*pair, "scaled_dot_product_attention"), ("Score", "ScoreGrad", "ScoreGrad"), strict=True):
            wrong = self.faults({"op": f"aclnnFlashAttention{wrong}", "relative": 3}, rounding=0)
            self.assertNotEqual(self.losses(*train, **wrong), expected)
            for ours, theirs in zip(self.losses(*train, BISECTD_TORCH_CPU_OPS=name, **SHIM, **wrong), expected, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=2e-5)

    # Called as MindSpeed does, in bfloat16, with fewer heads of the keys and a mask that is only a pattern; twice, with other draws of dropout.
    ATTENTION = """\
        import sys, torch, torch_npu
        torch.manual_seed(0)
        q, k, v = (torch.randn(2, 8, heads, 16).transpose(1, 2).contiguous().bfloat16().npu().requires_grad_() for heads in (4, 2, 2))
        pattern = torch.ones(2048, 2048, dtype=torch.bool).triu(1).npu()
        for _ in range(2):
            y = torch_npu.npu_fusion_attention(q, k, v, 4, "BNSD", scale=.25, atten_mask=pattern, sparse_mode=3, keep_prob=float(sys.argv[1]))[0]
            y.square().sum().backward()
            print("sums", *(x.float().abs().sum().item() for x in (y, q.grad, k.grad, v.grad)))
        """

    def test_fused_attention_of_scripts_moves_also_with_dropout(self):
        self.write("attention.py", textwrap.dedent(self.ATTENTION))
        names = "npu_fusion_attention", "npu_fusion_attention_grad"
        for keep, moved in (("1", ",".join(names)), *((".7", name) for name in names)):
            sums = lambda **more: [float(word) for line in self.run_python("attention.py", keep, **more) if line.startswith("sums")
                                   for word in line.split()[1:]]
            expected = sums(**self.faults(rounding=0))
            kernels = [kernel for name, kernel in zip(names, ("Score", "ScoreGrad")) if name in moved.split(",")]
            wrong = self.faults(*({"op": f"aclnnFlashAttention{kernel}", "relative": 1} for kernel in kernels), rounding=0)
            self.assertNotEqual(sums(**wrong), expected)
            for ours, theirs in zip(sums(BISECTD_TORCH_CPU_OPS=moved, **SHIM, **wrong), expected, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=5e-3 * theirs)

    def test_what_plain_attention_is_made_of_moves(self):
        train = EXAMPLE / "train.py", "--steps", "2", "--attention", "plain"
        names = ["matmul", "matmul_backward", "softmax.int"]
        ran, stay = self.listed(*train)
        self.assertLessEqual(set(names[:2]), ran)
        self.assertEqual(stay, {})
        right = self.faults(rounding=0)
        moved = self.run_python(*train, BISECTD_TORCH_CPU_OPS=",".join(names), **SHIM, **right)
        self.assertEqual(sorted(line.split()[2] for line in moved if " moved " in line), names)
        for ours, theirs in zip((line.split()[3] for line in moved if line.startswith("step ")), self.losses(*train, **right), strict=True):
            self.assertAlmostEqual(float(ours), theirs, delta=2e-5)

    # Sums of what comes out and of all gradients; in float32 and bfloat16.
    FUSED = """\
        import torch, torch_npu
        torch.manual_seed(0)
        for dtype in torch.float32, torch.bfloat16:
            x, gamma, cosine, sine = (torch.randn(shape, dtype=dtype).to("npu").requires_grad_()
                                      for shape in ([2, 4, 3, 64], [64], [1, 4, 1, 32], [1, 4, 1, 32]))
            y = torch_npu.npu_rotary_mul(torch_npu.npu_swiglu(torch_npu.npu_rms_norm(x, gamma)[0]), cosine, sine)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.full_like(x, .3), reduction="sum")
            ((y * y).sum() + loss).backward()
            print(dtype, *(f"{value.float().abs().sum().item():.5g}" for value in (y, x.grad, gamma.grad, cosine.grad, sine.grad)))
        """

    def test_fused_operators_move_by_their_formulas(self):
        self.write("fused.py", textwrap.dedent(self.FUSED))
        ran, stay = self.listed("fused.py")
        fused = {f"{name}{end}" for name in ("npu_rms_norm", "npu_swiglu", "npu_rotary_mul") for end in ("", "_backward")}
        fused.add("npu_binary_cross_entropy_with_logits_backward")
        self.assertLessEqual(fused, ran)
        self.assertEqual(stay, {})
        numbers = lambda **more: [[float(word) for word in line.split()[1:]] for line in self.run_python("fused.py", **more)
                                  if line.startswith("torch.")]
        right = numbers(**self.faults(rounding=0))
        self.assertEqual([len(row) for row in right], [5, 5])
        wrong = self.faults(*({"op": f"aclnn{name}", "relative": 1} for name in
                              ("RmsNormGrad", "SwiGlu", "RotaryPositionEmbedding", "BinaryCrossEntropyWithLogitsBackward")), rounding=0)
        self.assertNotEqual(numbers(**wrong), right)
        lines = numbers(BISECTD_TORCH_CPU_OPS=",".join(fused), **SHIM, **wrong)
        self.assertEqual({line.split()[2] for line in self.last.stdout.splitlines() if " moved " in line}, fused)
        for moved, expected, delta in zip(lines, right, (2e-4, 2e-2), strict=True):
            for ours, theirs in zip(moved, expected, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=delta * theirs)

    LAYER = """\
        import torch, torch_npu
        torch.manual_seed(0)
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = torch.nn.Linear(16, 48)
            def forward(self, x):
                return torch_npu.npu_fusion_attention(*self.qkv(x).chunk(3, -1), 2, "BSH", scale=.3)[0]
        model = torch.nn.Sequential(torch.nn.Linear(16, 16), Layer()).npu()
        model(torch.randn(2, 5, 16).npu()).square().sum().backward()
        print("sums", *(p.grad.abs().sum().item() for p in model.parameters()))
        """

    def test_a_module_around_a_fused_operator_moves(self):
        self.write("layer.py", textwrap.dedent(self.LAYER))
        sums = lambda **more: [float(word) for line in self.run_python("layer.py", **more) if line.startswith("sums") for word in line.split()[1:]]
        expected = sums(**self.faults(rounding=0))
        wrong = self.faults({"op": "aclnnFlashAttentionScoreGrad", "relative": 1}, rounding=0)
        self.assertNotEqual(sums(**wrong), expected)
        for moved in ({"BISECTD_TORCH_CPU_MODULES": "1"}, {"BISECTD_TORCH_CPU_MODULE_OPS": "1/backward/npu_fusion_attention_grad"}):
            for ours, theirs in zip(sums(**moved, **SHIM, **wrong), expected, strict=True):
                self.assertAlmostEqual(ours, theirs, delta=1e-3 * theirs)

    # The same model as it comes out of what trainings put around models; PEFT's as it is made, without the package.
    WRAPPED = """\
        import os, types, torch, torch_npu
        from torch import nn
        from torch.distributed import fsdp
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(20000 + os.getpid() % 20000))
        torch.distributed.init_process_group("hccl", rank=0, world_size=1)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = nn.ModuleList([nn.Linear(8, 8, device="npu"), nn.GELU()])
            def forward(self, x):
                for part in self.parts: x = x + part(x)
                return x
        class Lora(nn.Module):
            def __init__(self, base):
                super().__init__()
                self.base_layer, self.lora_A = base, nn.ModuleDict({"default": nn.Linear(8, 8, device="npu")})
            def forward(self, x): return self.base_layer(x) + self.lora_A["default"](x)
        class LoraModel(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model
                model.parts[0] = Lora(model.parts[0])
            def forward(self, x): return self.model.forward(x)
        class PeftModel(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.base_model = LoraModel(model)
            def forward(self, x): return self.base_model(x)
        def accelerated(net):
            net.forward = types.MethodType(lambda self, x, own=net.forward: own(x), net)
            return net
        x = torch.randn(4, 8, generator=torch.Generator().manual_seed(0)).npu()
        for wrap in (PeftModel, nn.parallel.DistributedDataParallel, lambda net: torch.compile(net, backend="eager"), accelerated,
                     lambda net: fsdp.FullyShardedDataParallel(net, use_orig_params=True), fsdp.fully_shard):
            torch.manual_seed(0)
            model = wrap(Net())
            loss = model(x).square().sum()
            loss.backward()
            print("loss", f"{loss.item():.4f}", *(f"{one.grad.abs().sum().item():.3f}" for one in model.parameters()))
        """

    def test_names_within_what_trainings_wrap_models_in(self):
        self.write("wrapped.py", textwrap.dedent(self.WRAPPED))
        right = self.faults(rounding=0)
        lines = self.run_python("wrapped.py", BISECTD_TORCH_LIST_MODULES="1", BISECTD_TORCH_LIST_MODULE_OPS="1", **SHIM, **right)
        losses = [line for line in lines if line.startswith("loss ")]
        said = lambda what: [line.split(what)[1].split()[0].rstrip(":") for line in lines if what in line]
        stay = said(" cannot move module ")
        modules = [name for name in said(" ran module ") if name not in stay]
        operators = {name for name in said(" ran ") if "/" in name} - set(said(" cannot move "))
        self.assertEqual(modules, [
            "base_model.model.parts.0.base_layer", "base_model.model.parts.0.lora_A.default", "base_model.model.parts.0",
            "base_model.model.parts.1", "base_model", "PeftModel", "module.parts.0", "module.parts.1", "module", "DistributedDataParallel",
            "_orig_mod.parts.0", "_orig_mod.parts.1", "_orig_mod", "OptimizedModule", "parts.0", "parts.1", "Net",
            "_fsdp_wrapped_module.parts.0", "_fsdp_wrapped_module.parts.1", "_fsdp_wrapped_module", "FSDPNet.parts.0", "FSDPNet.parts.1"])
        self.assertEqual(stay, ["FullyShardedDataParallel", "FSDPNet"])
        self.assertIn("_fsdp_wrapped_module.parts.0/backward/mm", operators)
        for family, names in (("MODULES", modules), ("MODULE_OPS", operators)):
            moved = self.run_python("wrapped.py", **{f"BISECTD_TORCH_CPU_{family}": ",".join(names)}, **SHIM, **right)
            self.assertEqual([line for line in moved if line.startswith("loss ")], losses)
            self.assertEqual({line.split(" moved ")[1].removeprefix("module ").split()[0] for line in moved if " moved " in line}, set(names))

    def test_what_runs_on_the_cpu_already_is_refused(self):
        code = "import torch\nx = torch.ones(2).to('npu')\nprint(torch.igamma(x, x).sum().item())"
        self.assertEqual([line for line in self.run_python("-c", code, BISECTD_TORCH_LIST_OPS="1", **SHIM) if "gamma" in line], [])
        self.assertIn("bisectd-torch: cannot move igamma: it runs on the CPU already: the device has no kernel for it",
                      self.run_python("-c", code, code=3, BISECTD_TORCH_CPU_OPS="igamma", **SHIM))


class Search(TorchNpu):
    def test_the_backward_of_pooling(self):
        self.faults({"op": "aclnnMaxPool2dWithMaskBackward", "relative": 4})
        command = json.dumps([str(PYTHON), *WARM, "cnn.py"])
        self.write("experiment.yaml", f"""\
            version: 1
            name: pooling
            extends: torch-npu
            reference: {{command: {command}, environment: {{LD_LIBRARY_PATH: {ENVIRONMENT}/cann, STANDIN_CANN_MAKE: gpu}}}}
            subject:
              command: {command}
              environment: {{LD_LIBRARY_PATH: {ENVIRONMENT}/cann, STANDIN_CANN_FAULTS: faults.json}}
              devices: {{ids: [0, 1]}}
            steps: 60
            suspects: {{ops: {{discover: true}}}}
            """)
        self.bisectd("run", "experiment.yaml", code=1, timeout=1800)
        report = self.report()
        self.assertEqual(self.culprits(report), [f"ops:{POOL}"])
        self.assertEqual([trial for trial in report["trial_list"] if trial["verdict"] == "unresolved"], [])

    def test_two_ranks_with_fsdp(self):
        train = *self.RANKS[:-1], "4", "--parallel", "fsdp"
        expected = self.losses(EXAMPLE / "train.py", "--steps", "4", **self.faults(rounding=0))
        wrong = self.faults({"op": "aclnnLayerNormBackward", "relative": 3}, rounding=0)
        self.assertNotEqual(self.losses(*train, **wrong), expected)
        for ours, theirs in zip(self.losses(*train, BISECTD_TORCH_CPU_OPS="native_layer_norm_backward", **SHIM, **wrong), expected, strict=True):
            self.assertAlmostEqual(ours, theirs, delta=1e-4 * theirs)
        lines = self.run_python(*train, BISECTD_TORCH_LIST_OPS="1", BISECTD_TORCH_LIST_MODULES="1", **SHIM)
        ran = {line.split(" ran ")[1] for line in lines if " ran " in line}
        # The optimizer's are those of the shards that DTensors hold.
        self.assertLessEqual({f"{name} on the device" for name in ("npu_fusion_attention_grad_v3", "addcmul_", "_foreach_norm.Scalar",
                                                                   "module FSDPModel", "module blocks.0.mlp.0")}, ran)
        self.assertEqual({line.split(" cannot move ")[1].split(":")[0] for line in lines if " cannot move " in line},
                         {"_allgather_base_", "_reduce_scatter_base_", "all_reduce", "allreduce_", "chunk_cat", "wait_tensor",
                          "module FSDPModel", "module blocks.0", "module blocks.1"})

    RANKS = "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "--no-python", str(PYTHON), *WARM, str(EXAMPLE / "train.py"), \
        "--steps", "20"

    def write_two_ranks(self, *command):
        command = json.dumps(command)
        self.write("experiment.yaml", f"""\
            version: 1
            name: ranks
            extends: torch-npu
            reference:
              command: {command}
              environment: {{LD_LIBRARY_PATH: {ENVIRONMENT}/cann, STANDIN_CANN_MAKE: gpu, OMP_NUM_THREADS: "1"}}
              devices: {{kind: npu, ids: [2, 3], per_trial: 2}}
              repeats: 2
            subject:
              command: {command}
              environment: {{LD_LIBRARY_PATH: {ENVIRONMENT}/cann, STANDIN_CANN_FAULTS: faults.json, OMP_NUM_THREADS: "1"}}
              devices: {{kind: npu, ids: [0, 1], per_trial: 2}}
            steps: 20
            suspects: {{ops: [native_layer_norm_backward, mm]}}
            """)

    def test_two_ranks(self):
        one = self.losses(EXAMPLE / "train.py", "--steps", "10", **self.faults(rounding=0))
        for ours, theirs in zip(self.losses(*self.RANKS[:-1], "10", **self.faults(rounding=0)), one, strict=True):
            self.assertAlmostEqual(ours, theirs, delta=1e-4 * theirs)
        self.faults({"op": "aclnnLayerNormBackward", "relative": 3})
        self.write_two_ranks(str(PYTHON), *WARM, *self.RANKS)
        self.bisectd("run", "experiment.yaml", code=1, timeout=1800)
        self.assertEqual(self.culprits(self.report()), ["ops:native_layer_norm_backward"])

    def test_ctrl_c_ends_all_ranks(self):
        self.faults({"op": "aclnnLayerNormBackward", "relative": 3})
        self.write_two_ranks(str(PYTHON), *(word for word in self.RANKS if word not in ("--no-python", str(PYTHON), *WARM)))
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: sum("train.py" in one and "torch.distributed.run" not in one for one in self.processes_of_this_test()) == 2, 120)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGINT)
        self.assertEqual(self.processes_of_this_test(), [])


if __name__ == "__main__":
    if not PYTHON.exists():
        raise SystemExit(f"not there: {PYTHON}; examples/torch_npu/environment makes it (tests/run calls it)")
    subprocess.run([EXAMPLE / "build"], check=True)
    unittest.main()
