"""Repeats that are samples of rounding: the shims on real PyTorch and PaddlePaddle."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from space import SOURCE
from torch_space import PYTHON as TORCH

PADDLE = SOURCE / ".venv/bin/python"
MINDSPORE = SOURCE / "build/mindspore/bin/python"
SIZE = 2.0 ** -10


def run(python, script, seed=None, **environment):
    """What a script prints as JSON in its last line, and what it says of the perturbation."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BISECTD_P", "FLAGS_", "CUSTOM_DEVICE"))}
    clean.update(environment, PYTHONPATH=str(SOURCE / "configs/presets/python"))
    if seed is not None:
        clean["BISECTD_PERTURB"] = str(seed)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "case.py").write_text(script)  # MindSpore compiles only what stands in a file
        done = subprocess.run([str(python), "-W", "ignore", "case.py"], env=clean, capture_output=True, text=True, timeout=300, cwd=folder)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    said = [line for line in done.stderr.splitlines() if line.startswith("bisectd: ")]
    return json.loads(done.stdout.splitlines()[-1]), said


class Shim:
    """What both frameworks are asked; each says it in its own words (`words`)."""

    def case(self, body, seed=None, **environment):
        return run(self.python, self.words + body, seed, **environment)

    TRAIN = """
net = Net(); optimizer = sgd(net)
losses = [step(net, optimizer) for _ in range(12)]
tell(losses=losses, draws=draws())
"""

    def test_a_seed_is_a_sample_and_random_numbers_stay(self):
        plain, said = self.case(self.TRAIN)
        self.assertEqual(said, [])
        one, said = self.case(self.TRAIN, 1)
        self.assertEqual(said, ["bisectd: perturbed 2 parameters by 0.00098 of their size (seed 1)"])
        again, _ = self.case(self.TRAIN, 1)
        two, _ = self.case(self.TRAIN, 2)
        self.assertEqual(one["losses"], again["losses"])
        self.assertEqual(len({tuple(run["losses"]) for run in (plain, one, two)}), 3)
        for perturbed in (one, two):
            self.assertLess(abs(perturbed["losses"][0] / plain["losses"][0] - 1), 0.05)
            self.assertEqual(perturbed["draws"], plain["draws"])

    def test_the_size_and_what_has_none(self):
        body = """
net = Net(); before = values(net); optimizer = sgd(net)
step(net, optimizer, rate=0.0)
tell(before=before, after=values(net))
"""
        got, _ = self.case(body, 3)
        for before, after in zip(got["before"], got["after"]):
            rms = (sum(value * value for value in before) / len(before)) ** 0.5
            moved = (sum((a - b) ** 2 for a, b in zip(after, before)) / len(before)) ** 0.5
            if rms == 0:
                self.assertEqual(before, after)  # the bias of zeros
            else:
                self.assertLess(abs(moved / (SIZE * rms) - 1), 0.35)

    def test_each_parameter_once_with_two_optimizers_and_late_ones(self):
        body = """
one, other = Net(), Net(); before = values(one)
first = sgd(one); second = both(one, other); third = sgd(one)
step(one, first, rate=0.0); step(one, second, rate=0.0); step(other, second, rate=0.0); step(one, third, rate=0.0)
late = Net(); step(late, sgd(late), rate=0.0)
tell(before=before, after=values(one))
"""
        got, said = self.case(body, 1)
        self.assertEqual(said[-1], "bisectd: perturbed 6 parameters by 0.00098 of their size (seed 1)")
        single, _ = self.case("net = Net(); optimizer = sgd(net); step(net, optimizer, rate=0.0); tell(after=values(net))", 1)
        self.assertEqual(got["after"], single["after"])

    def test_a_checkpoint_that_comes_late(self):
        loaded = """
net = Net(); checkpoint = state(Net()); optimizer = sgd(net)
{before}
load(net, checkpoint)
losses = [step(net, optimizer) for _ in range(12)]
tell(losses=losses)
"""
        # Between optimizer and first forward: nothing is lost.
        plain, _ = self.case(loaded.format(before=""))
        early, said = self.case(loaded.format(before=""), 1)
        self.assertEqual(said, ["bisectd: perturbed 2 parameters by 0.00098 of their size (seed 1)"])
        self.assertNotEqual(plain["losses"], early["losses"])
        self.assertLess(abs(early["losses"][0] / plain["losses"][0] - 1), 0.05)
        # Behind a first forward: made again before the first step, and told.
        plain, _ = self.case(loaded.format(before="forward(net)"))
        late, said = self.case(loaded.format(before="forward(net)"), 1)
        self.assertEqual(said, ["bisectd: perturbed 2 parameters by 0.00098 of their size, some twice: they were overwritten "
                                "before the first step (seed 1)"])
        self.assertNotEqual(plain["losses"][1:], late["losses"][1:])
        self.assertLess(abs(late["losses"][0] / plain["losses"][0] - 1), 0.05)

    def test_evaluation_before_the_training_is_not_perturbed(self):
        body = """
net = Net(); optimizer = sgd(net); net.eval(); first = value(net(x)); net.train()
with no_grad(): second = value(net(x))
losses = [step(net, optimizer) for _ in range(12)]
tell(values=[first, second], losses=losses)
"""
        plain, _ = self.case(body)
        perturbed, _ = self.case(body, 1)
        self.assertEqual(plain["values"], perturbed["values"])
        self.assertNotEqual(plain["losses"], perturbed["losses"])

    def test_sixteen_bits(self):
        body = """
net = half(Net(), "{dtype}"); before = values(net); optimizer = sgd(net)
net.eval(); net.train(); touch(net, optimizer)
tell(before=before, after=values(net))
"""
        for dtype, unit in (("float16", 2.0 ** -10), ("bfloat16", 2.0 ** -7)):
            got, said = self.case(body.replace("{dtype}", dtype), 1)
            self.assertEqual(said, ["bisectd: perturbed 2 parameters by one unit in the last place (seed 1)"])
            moves = [(a - b) / abs(b) for one, other in zip(got["before"], got["after"]) for b, a in zip(one, other) if b]
            self.assertLessEqual(max(abs(move) for move in moves), unit)
            still = sum(move == 0 for move in moves) / len(moves)
            self.assertTrue(0.2 < still < 0.5, still)

    def test_what_cannot_be_perturbed_says_so(self):
        _, said = self.case(self.TRAIN, "x")
        self.assertEqual(said, ["bisectd: not perturbed: BISECTD_PERTURB is 'x' and no seed from 1 on"])
        _, said = self.case("net = Net(); optimizer = sgd(net); tell()", 1)
        self.assertEqual(said, ["bisectd: not perturbed: no optimizer made a step"])
        _, said = self.case("tell()", 1)  # a launcher, say
        self.assertEqual(said, [])


@unittest.skipUnless(pathlib.Path(TORCH).exists(), "no PyTorch")
class TorchShim(Shim, unittest.TestCase):
    python = TORCH
    words = """
import json, random, numpy, torch
torch.manual_seed(3); torch.set_num_threads(1)
x = torch.randn(16, 8)
no_grad = torch.no_grad
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.drop, self.b = torch.nn.Linear(8, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1, bias=False)
        torch.nn.init.zeros_(self.a.bias)
    def forward(self, x):
        return self.b(self.drop(torch.tanh(self.a(x))))
def forward(net): return net(x)
def sgd(net): return torch.optim.SGD([{"params": net.a.parameters()}, {"params": net.b.parameters(), "lr": 0.05}], lr=0.1)
def both(one, other): return torch.optim.Adam([*one.parameters(), *other.parameters()], lr=0.0)
def value(y): return float((y ** 2).mean())
def step(net, optimizer, rate=None):
    loss = ((net(x) - 3) ** 2).mean(); optimizer.zero_grad(); loss.backward()
    for group in optimizer.param_groups:
        if rate is not None: group["lr"] = rate
    optimizer.step(); return float(loss)
def touch(net, optimizer):
    try: net(x.to(net.a.weight.dtype))
    except RuntimeError: pass  # no kernel of that type on the CPU: it was perturbed before
    for group in optimizer.param_groups: group["lr"] = 0.0
    for one in net.parameters(): one.grad = torch.zeros_like(one)
    optimizer.step()
def values(net): return [one.detach().float().flatten().tolist() for one in net.parameters()]
def half(net, dtype): return net.to(getattr(torch, dtype))
def state(net): return {name: value.clone() for name, value in net.state_dict().items()}
def load(net, checkpoint): net.load_state_dict(checkpoint)
def draws(): return [float(torch.rand(1)), random.Random(1).random(), float(torch.randn(1))]
def tell(**what): print(json.dumps(what))
"""

    def test_a_schedule_that_counts_steps(self):
        body = """
net = Net(); optimizer = sgd(net); schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(3): step(net, optimizer); schedule.step()
import copy, pickle; pickle.dumps(optimizer.state_dict()); copy.deepcopy(optimizer)
tell(stepped=optimizer._opt_called, rate=optimizer.param_groups[0]["lr"])
"""
        got, said = self.case(body, 1)
        plain, _ = self.case(body)
        self.assertEqual(got, plain)
        self.assertEqual(len(said), 1)

    def test_masters_that_no_module_has(self):
        body = """
net = Net(); masters = [one.detach().clone().requires_grad_() for one in net.parameters()]; before = [one.detach().clone() for one in masters]
optimizer = torch.optim.SGD(masters, lr=0.0); net(x)
for one in masters: one.grad = torch.zeros_like(one)
optimizer.step()
tell(moved=[bool((a != b).any()) for a, b in zip(masters, before)])
"""
        got, said = self.case(body, 1)
        self.assertEqual(got["moved"], [True, False, True])
        self.assertEqual(said, ["bisectd: perturbed 2 parameters by 0.00098 of their size (seed 1)"])

    def test_parameters_that_are_made_in_the_first_forward(self):
        body = """
net = torch.nn.Sequential(torch.nn.LazyLinear(4, bias=False), torch.nn.Linear(4, 1, bias=False)); optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2): loss = (net(x) ** 2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step()
tell(loss=float(loss))
"""
        _, said = self.case(body, 1)
        self.assertEqual(said, ["bisectd: perturbed 2 parameters by 0.00098 of their size (seed 1)"])

    def test_ranks_have_the_same_numbers(self):
        script = self.words + """
import torch.distributed as dist
dist.init_process_group("gloo")
net = torch.nn.parallel.DistributedDataParallel(Net()); optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
loss = (net(x) ** 2).mean(); loss.backward(); optimizer.step()
open(f"rank-{dist.get_rank()}.json", "w").write(json.dumps(values(net)))
"""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "train.py").write_text(script)
            environment = {**os.environ, "PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_PERTURB": "1", "WORLD_SIZE": "2",
                           "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 20000)}
            workers = [subprocess.Popen([TORCH, "-W", "ignore", "train.py"], cwd=folder, env={**environment, "RANK": str(rank)},
                                        stderr=subprocess.PIPE, text=True) for rank in (0, 1)]
            said = [worker.communicate(timeout=300)[1] for worker in workers]
            self.assertEqual([worker.returncode for worker in workers], [0, 0], said)
            ranks = [json.loads((pathlib.Path(folder) / f"rank-{rank}.json").read_text()) for rank in (0, 1)]
        self.assertEqual(*ranks)
        for text in said:
            self.assertIn("bisectd: perturbed 2 parameters", text)


@unittest.skipUnless(PADDLE.exists(), "no Paddle")
class PaddleShim(Shim, unittest.TestCase):
    python = PADDLE
    words = """
import json, random, numpy, paddle
paddle.seed(3)
x = paddle.randn([16, 8])
no_grad = paddle.no_grad
class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.drop, self.b = paddle.nn.Linear(8, 16), paddle.nn.Dropout(0.2), paddle.nn.Linear(16, 1, bias_attr=False)
    def forward(self, x):
        return self.b(self.drop(paddle.tanh(self.a(x))))
def forward(net): return net(x)
def sgd(net): return paddle.optimizer.SGD(0.1, parameters=[{"params": net.a.parameters()}, {"params": net.b.parameters(), "learning_rate": 0.5}])
def both(one, other): return paddle.optimizer.Adam(0.0, parameters=[*one.parameters(), *other.parameters()])
def value(y): return float((y ** 2).mean())
def step(net, optimizer, rate=None):
    loss = ((net(x) - 3) ** 2).mean(); loss.backward()
    if rate is not None: optimizer.set_lr(rate)
    optimizer.step(); optimizer.clear_grad(); return float(loss)
def touch(net, optimizer):
    try: net(x.astype(net.a.weight.dtype))
    except Exception: pass  # no kernel of that type on the CPU: it was perturbed before
    optimizer.step()  # of no gradient
def values(net): return [one.astype("float32").flatten().tolist() for one in net.parameters()]
def half(net, dtype): return net.to(dtype=dtype)
def state(net): return {name: value.clone() for name, value in net.state_dict().items()}
def load(net, checkpoint): net.set_state_dict(checkpoint)
def draws(): return [float(paddle.rand([1])), random.Random(1).random(), float(paddle.randn([1]))]
def tell(**what): print(json.dumps(what))
"""

    def test_every_optimizer_of_paddle_is_seen(self):
        """AdamW has an __init__ of its own, which does not call Optimizer's."""
        names, said = self.case("""
names = []
for name in paddle.optimizer.__all__:
    if name not in ("Optimizer", "LBFGS"):  # the first is abstract, the other asks for a closure
        net = Net()
        step(net, getattr(paddle.optimizer, name)(0.1, parameters=net.parameters()))
        names.append(name)
tell(names=names)
""", 1)
        self.assertIn("AdamW", names["names"])
        self.assertEqual(len(said), len(names["names"]), said)


@unittest.skipUnless(MINDSPORE.exists(), "MindSpore (2.8 GB): python3 -m venv build/mindspore; build/mindspore/bin/pip install mindspore==2.7.1")
class MindSporeShim(Shim, unittest.TestCase):
    python = MINDSPORE
    # Without dropout: MindSpore's masks on the CPU differ from run to run.
    words = """
import json, random, numpy, mindspore as ms
from mindspore import nn, ops
ms.set_seed(3); ms.set_context(mode=ms.PYNATIVE_MODE); ms.set_device("CPU")
x = ms.Tensor(numpy.random.default_rng(3).standard_normal((16, 8)).astype("float32"))
no_grad = ms._no_grad
class Net(nn.Cell):
    made = 0
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(8, 16, bias_init="zeros"), nn.Dense(16, 1, has_bias=False)
        Net.made += 1
        self.update_parameters_name(f"net{Net.made}.")
    def construct(self, x): return self.b(ops.tanh(self.a(x)))
    def train(self): self.set_train()
    def eval(self): self.set_train(False)
def loss_of(net): return ((net(x) - 3) ** 2).mean()
def forward(net): return ms.value_and_grad(lambda: loss_of(net), None, net.trainable_params())()
def sgd(net): return nn.SGD([{"params": net.a.trainable_params()}, {"params": net.b.trainable_params(), "lr": 0.05}], learning_rate=0.1)
def both(one, other): return nn.Adam([*one.trainable_params(), *other.trainable_params()], learning_rate=0.1)
def value(y): return float((y ** 2).mean())
def step(net, optimizer, rate=None):
    loss, gradients = ms.value_and_grad(lambda: loss_of(net), None, list(optimizer.parameters))()
    if rate is not None: set_rate(optimizer, rate)
    optimizer(gradients); return float(loss)
def set_rate(optimizer, rate):
    for one in optimizer.learning_rate if isinstance(optimizer.learning_rate, (list, tuple, ms.ParameterTuple)) else [optimizer.learning_rate]:
        one.set_data(ms.Tensor(rate, ms.float32))
def touch(net, optimizer):
    set_rate(optimizer, 0.0)
    try: optimizer(tuple(ms.Tensor(numpy.zeros(one.shape, "float32"), one.dtype) for one in optimizer.parameters))
    except Exception: pass  # no kernel of that type on the CPU: it was perturbed before
def values(net): return [one.astype(ms.float32).asnumpy().flatten().tolist() for one in net.trainable_params()]
def half(net, dtype): return net.to_float(getattr(ms, dtype)) and [one.set_dtype(getattr(ms, dtype)) for one in net.trainable_params()] and net
def state(net): return [one.asnumpy() for one in net.trainable_params()]
def load(net, checkpoint):
    for one, value in zip(net.trainable_params(), checkpoint): one.set_data(ms.Tensor(value))
def draws(): return [float(ops.rand(1)[0]), random.Random(1).random(), float(ops.randn(1)[0])]
def tell(**what): print(json.dumps(what))
"""

    def test_steps_that_are_graphs(self):
        """Compiled whole, or a function that is: nothing of Python is called but the first."""
        body = """
net = Net(); optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
{step}
tell(losses=[float(train(x)) for _ in range(3)])
"""
        python = "def train(x): return step(net, optimizer)"
        graph = """
ms.set_context(mode=ms.GRAPH_MODE)
class Loss(nn.Cell):
    def __init__(self): super().__init__(); self.net = net
    def construct(self, x): return ((self.net(x) - 3) ** 2).mean()
train = nn.TrainOneStepCell(Loss(), optimizer)
"""
        function = """
def loss(x): return ((net(x) - 3) ** 2).mean()
both = ms.value_and_grad(loss, None, optimizer.parameters)
@ms.jit
def train(x):
    value, gradients = both(x)
    optimizer(gradients)
    return value
"""
        expected, said = self.case(body.format(step=python), 1)
        for step in graph, function:
            got, told = self.case(body.format(step=step), 1)
            self.assertEqual(told, said)
            for one, other in zip(got["losses"], expected["losses"], strict=True):
                self.assertAlmostEqual(one, other, delta=1e-5 * other)


if __name__ == "__main__":
    unittest.main()
