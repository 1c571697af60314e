"""A search with the real MindSpore, on the CPU. MindSpore (2.8 GB) is not installed by tests/run:
    python3 -m venv build/mindspore && build/mindspore/bin/pip install mindspore==2.7.1"""
import textwrap
import unittest

from space import SOURCE, Space

PYTHON = SOURCE / "build/mindspore/bin/python"
# Each option is another way to the same numbers, but for the one that the variable WRONG names. A step is a graph.
TRAIN = """\
    import os, sys
    import numpy
    import mindspore as ms
    from mindspore import nn, ops
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_device("CPU")
    ms.set_seed(1)
    wrong = lambda name: (1.03 if name == os.environ.get("WRONG") else 1.) if f"--{name}=plain" not in sys.argv else 1.
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.norm, self.last = nn.Dense(16, 32), nn.LayerNorm([32]), nn.Dense(32, 4)
            self.of = [wrong(name) for name in ("dense", "norm", "activation", "softmax", "clip", "scale")]
        def construct(self, x, target):
            dense, norm, activation, softmax, clip, scale = self.of
            x = self.norm(self.first(x) * dense) * norm
            x = ops.clip(self.last(ops.relu(x) * activation) * clip, -20., 20.)
            return ops.cross_entropy(x * softmax, target) * scale
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-2)).set_train()
    drawn = numpy.random.default_rng(0)
    classes = drawn.standard_normal((4, 16))
    for number in range(1, 81):
        target = drawn.integers(0, 4, 64)
        x = classes[target] + 2 * drawn.standard_normal((64, 16))
        print(f"epoch: 1 step: {number}, loss is {float(step(ms.Tensor(x, ms.float32), ms.Tensor(target, ms.int32)).asnumpy()):.6f}", flush=True)
    """


@unittest.skipUnless(PYTHON.exists(), __doc__)
class MindSpore(Space):
    def test_a_wrong_option_is_found_by_perturbed_references(self):
        self.write("train.py", textwrap.dedent(TRAIN))
        names = "dense", "norm", "activation", "softmax", "clip", "scale"
        toggles = "".join(f'\n      {name}: {{argument: "--{name}={{value}}", safe: plain}}' for name in names)
        self.write("experiment.yaml", f"""\
version: 1
name: mindspore
extends: mindspore
reference: {{command: [{PYTHON}, train.py]}}
subject:
  command: [{PYTHON}, train.py, "{{arguments}}"]
  environment: {{WRONG: scale}}
  devices: {{ids: [0]}}
steps: 80
families:
  options:
    kind: toggle
    toggles:{toggles}
suspects: {{options: all}}
""")
        self.bisectd("run", "experiment.yaml", code=1, timeout=1200)
        report = self.report()
        self.assertEqual(self.culprits(report), ["options:scale"])
        reference = next(trial for trial in report["trial_list"] if trial["role"] == "reference")
        moved = "5 parameters by 0.00098 of their size"  # all but the bias of the norm, which is zero
        self.assertEqual(sorted(attempt["perturbation"] for attempt in reference["attempts"]), ["", moved, moved])
        self.assertEqual([warning for warning in report["warnings"] if "perturb" in warning], [])


if __name__ == "__main__":
    unittest.main()
