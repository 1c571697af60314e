"""Kernel by kernel, forward and backward: without rounding the device gives the CPU's numbers, bit for bit."""
import os
import pathlib
import re
import tempfile
import unittest

import launch

# On some processors MKL's fastest paths give results of the two devices that are one last bit apart; this one does not.
folder = tempfile.TemporaryDirectory()
os.environ.update(launch.environment(folder.name, launch.EXACT, MKL_CBWR="COMPATIBLE"))

import numpy
import paddle
import paddle.nn.functional as functional

IMAGE, LINE = (2, 4, 8, 8), (3, 6, 8)
SHAPES_AND_FUNCTIONS = {
    "activations": (IMAGE, [
        functional.relu, functional.gelu, functional.sigmoid, functional.tanh, functional.hardswish, functional.hardsigmoid,
        functional.silu, functional.swish, functional.leaky_relu, functional.relu6, functional.softmax, functional.log_softmax]),
    "arithmetic": (LINE, [
        lambda x: x + 2 * x, lambda x: x - x * x, lambda x: x / (x * x + 1), lambda x: (x * x + 1).sqrt(), lambda x: x.exp(),
        lambda x: (x * x + 1).log(), lambda x: (x * x + 1).rsqrt(), lambda x: x**3, lambda x: x.clip(-0.5, 0.5),
        lambda x: paddle.maximum(x, -x), lambda x: paddle.minimum(x, x * x), lambda x: x.square(),
        lambda x: x.matmul(x.transpose([0, 2, 1])), lambda x: x.bmm(x.transpose([0, 2, 1]))]),
    "images": (IMAGE, [
        lambda x: functional.max_pool2d(x, 2), lambda x: functional.avg_pool2d(x, 2), lambda x: functional.adaptive_avg_pool2d(x, 1),
        lambda x: functional.max_pool2d(x, 2, return_mask=True)[0], lambda x: functional.pad(x, [1, 2, 1, 0], mode="reflect"),
        lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: functional.interpolate(x, scale_factor=2, mode="nearest"), functional.instance_norm]),
    "shapes": (LINE, [
        lambda x: x.transpose([2, 0, 1]), lambda x: x.reshape([-1, 8]), lambda x: paddle.concat([x, 2 * x], 1),
        lambda x: paddle.split(x, 2, 1)[1] * 2, lambda x: paddle.split(x, [1, 2, 3], 1)[2], lambda x: paddle.stack([x, x]),
        lambda x: x[:, 1:4], lambda x: x.unsqueeze(1).squeeze(1), lambda x: x.flatten(1), lambda x: x.tile([2, 1, 1]),
        lambda x: x[:, :1].expand([3, 6, 8]), lambda x: x.roll(1, 0), lambda x: x.gather(paddle.to_tensor([2, 0])),
        lambda x: paddle.where(x > 0, x, 2 * x)]),
    "reductions": (LINE, [
        lambda x: x.sum(1), lambda x: x.mean(1), lambda x: x.mean(), lambda x: x.max(1), lambda x: x.norm(), lambda x: x.norm(3, 1)]),
}


def random(*shape, seed=3):
    return numpy.random.default_rng(seed).normal(size=shape).astype("float32")


def on(device, compute):
    paddle.set_device(device)
    paddle.seed(11)
    return [tensor.numpy() for tensor in compute()]


def forward_and_backward(shape, function):
    x = paddle.to_tensor(random(*shape), stop_gradient=False)
    out = function(x)
    (out * out).sum().backward()
    return out, x.grad


def one_step(make_layer, shape, make_optimizer=lambda p: paddle.optimizer.SGD(0.1, p)):
    """Twice, so that running statistics and moments are used as well as written."""
    layer = make_layer()
    optimizer = make_optimizer(layer.parameters())
    for seed in (1, 2):
        out = layer(paddle.to_tensor(random(*shape, seed=seed)))
        out = out[0] if isinstance(out, tuple) else out
        (out * out).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return [out, *layer.state_dict().values()]


class Kernels(unittest.TestCase):
    def agrees(self, compute):
        for cpu, npu in zip(on("cpu", compute), on("npu", compute), strict=True):
            numpy.testing.assert_array_equal(cpu, npu)

    def test_functions(self):
        for family, (shape, functions) in SHAPES_AND_FUNCTIONS.items():
            for number, function in enumerate(functions):
                with self.subTest(family, number=number):
                    self.agrees(lambda: forward_and_backward(shape, function))

    def test_layers_and_their_running_statistics(self):
        nn = paddle.nn
        for make, shape in (
            (lambda: nn.Conv2D(4, 8, 3, padding=1), IMAGE), (lambda: nn.Conv2D(4, 8, 3, groups=4), IMAGE),
            (lambda: nn.Conv2DTranspose(4, 2, 3), IMAGE), (lambda: nn.BatchNorm2D(4), IMAGE), (lambda: nn.GroupNorm(2, 4), IMAGE),
            (lambda: nn.LayerNorm(8), LINE), (lambda: nn.Linear(8, 3), LINE), (lambda: nn.LSTM(8, 5, direction="bidirect"), LINE),
            (lambda: nn.GRU(8, 5), LINE), (lambda: nn.Sequential(nn.Linear(8, 3), nn.Dropout(0.5)), LINE)):
            layer = make()
            with self.subTest(type(layer).__name__):
                self.agrees(lambda: one_step(make, shape))

    def test_optimizers(self):
        for name in ("SGD", "Momentum", "Adam", "AdamW", "Adagrad"):
            with self.subTest(name):
                make = getattr(paddle.optimizer, name)
                self.agrees(lambda: one_step(lambda: paddle.nn.Linear(8, 3), LINE, lambda p: make(0.1, parameters=p)))

    def test_float16_parameters_are_the_rounding_of_masters_that_are_trained_in_float32(self):
        start, gradients = random(8, 3).astype("float16"), [random(8, 3, seed=seed).astype("float16") for seed in (1, 2)]
        for name in ("SGD", "Momentum", "Adam", "AdamW", "Adagrad"):
            with self.subTest(name):
                def trained(device):
                    paddle.set_device(device)
                    layer = paddle.nn.Linear(8, 3, bias_attr=False)
                    layer.weight.set_value(start.astype("float32"))
                    optimizer = getattr(paddle.optimizer, name)(2**-7, parameters=layer.parameters())  # SGD takes it in float16
                    if device == "npu":
                        layer, optimizer = paddle.amp.decorate(layer, optimizer, level="O2", dtype="float16", master_weight=True)
                    for gradient in gradients:
                        (layer.weight * paddle.to_tensor(gradient).astype(layer.weight.dtype)).sum().backward()
                        optimizer.step()
                        optimizer.clear_grad()
                    return layer.weight, optimizer._master_weights

                expected, _ = trained("cpu")
                weight, masters = trained("npu")
                master, = masters.values()
                numpy.testing.assert_array_equal(master.numpy(), expected.numpy())
                numpy.testing.assert_array_equal(weight.numpy(), expected.numpy().astype("float16"))

    def test_losses(self):
        logits, classes = random(6, 5), numpy.arange(6) % 5
        targets = (random(6, 5, seed=4) > 0).astype("float32")
        for loss in (
            lambda x: functional.cross_entropy(x, paddle.to_tensor(classes)),
            lambda x: functional.binary_cross_entropy(functional.sigmoid(x), paddle.to_tensor(targets)),
            lambda x: functional.binary_cross_entropy_with_logits(x, paddle.to_tensor(targets)),
            lambda x: functional.smooth_l1_loss(x, paddle.to_tensor(targets)),
            lambda x: functional.kl_div(functional.log_softmax(x), paddle.to_tensor(targets))):
            self.agrees(lambda: forward_and_backward(logits.shape, loss))

    def test_look_up(self):
        words = numpy.array([[1, 4, 4], [0, 2, 1]])
        self.agrees(lambda: forward_and_backward((5, 3), lambda table: functional.embedding(paddle.to_tensor(words), table)))

    def test_updates_in_place(self):
        def compute():
            x = paddle.to_tensor(random(4, 4))
            x.add_(paddle.to_tensor(random(4, 4, seed=9)))
            x[:, 1] = 7.0
            x.scale_(0.5)
            return [x]

        self.agrees(compute)


class Copies(unittest.TestCase):
    def test_an_operator_on_the_cpu_is_copied_to_and_fro_without_waiting_for_a_thread(self):
        """Paddle's own copies make a thread each and wait for its end; a search black-lists operators all the time."""
        paddle.set_device("npu")
        x = paddle.to_tensor(random(4, 4))
        waits = lambda: int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", pathlib.Path("/proc/thread-self/status").read_text())[1])
        y = x.sin()  # there is no such kernel
        before = waits()
        for _ in range(200):
            y = x.sin()
        self.assertLess(waits() - before, 100)
        numpy.testing.assert_array_equal(y.numpy(), on("cpu", lambda: [paddle.to_tensor(random(4, 4)).sin()])[0])


class Halves(unittest.TestCase):
    """A float16 kernel computes in float32, between two conversions. numpy's own are IEEE 754's."""

    def setUp(self):
        paddle.set_device("npu")
        self.halves = numpy.arange(65536, dtype="uint16").view("float16")

    def same(self, tensor, expected):
        got = tensor.numpy()
        numpy.testing.assert_array_equal(numpy.isnan(got), numpy.isnan(expected))
        there = ~numpy.isnan(expected)
        numpy.testing.assert_array_equal(got[there].view("uint16"), expected[there].view("uint16"))

    def test_every_one_survives_both_conversions(self):
        self.same(paddle.to_tensor(self.halves).reshape([256, 256]).flatten(), self.halves)

    def test_every_one_becomes_the_same_in_float32(self):
        got = paddle.to_tensor(self.halves).astype("float32").numpy()
        numpy.testing.assert_array_equal(got, self.halves.astype("float32"))

    def test_what_lies_between_is_rounded_to_the_nearest(self):
        """Products of two are exact in float32: ties, numbers below the least normal one and the least of all, and beyond the largest. Of odd
        counts, too: what is left behind the last eight."""
        random = numpy.random.default_rng(3)
        for count in (65536, 1001, 7):
            a, b = random.choice(self.halves, count), random.choice(self.halves, count)
            with numpy.errstate(all="ignore"):
                expected = (a.astype("float32") * b.astype("float32")).astype("float16")
            self.same(paddle.to_tensor(a) * paddle.to_tensor(b), expected)
        ties = numpy.arange(1, 4097, 2, dtype="float16")  # the last are beyond 2048, where only even ones are float16
        for scale in (2.0**-24, 2.0**-14, 1, 2.0**5):
            half = numpy.float16(scale)
            self.same(paddle.to_tensor(ties) * paddle.full([1], 0.5, "float16") * paddle.to_tensor(half),
                      ((ties.astype("float32") * 0.5).astype("float16").astype("float32") * scale).astype("float16"))

    def test_what_is_far_too_small_becomes_zero(self):
        """Of 1e-27 Paddle's own conversion makes 6e-8."""
        small = numpy.float16([2.0**-22, -2.0**-22, 2.0**-18, 2.0**-24])
        self.same(paddle.to_tensor(small) ** 4, numpy.float16([0, 0, 0, 0]))


if __name__ == "__main__":
    unittest.main()
