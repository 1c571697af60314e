"""Experiments as users write them: those of examples/, and a custom device of another name."""
import json

from paddle_space import PADDLE, PYTHON, STANDIN, main
from space import SOURCE, Space

SEG = SOURCE / "examples/paddleseg"


class Examples(Space):
    """The experiments of examples/, as they are."""

    def find(self, experiment):
        done = self.bisectd("run", experiment, "--out", self.folder / "bisectd-out", code=1, timeout=900)
        self.assertEqual(self.processes_of_this_test(), [])
        return self.report(), done.out

    def test_quickstart(self):
        """The one search for an operator that is wrong only while a flag is on."""
        report, said = self.find(PADDLE / "quickstart.yaml")
        self.assertEqual(self.causes(report), [["FLAGS_npu_storage_format", "hard_swish"], ["batch_norm_grad"]])
        self.assertIn("only together", said)

    def test_paddleseg_through_the_launcher(self):
        self.bisectd("run", SEG / "bisenetv2.experiment.yaml", "--out", self.folder / "bisectd-out", code=1, timeout=900)
        self.assertEqual(self.causes(self.report()), [["conv2d_grad"]])


class OtherDevice(Space):
    """A custom device of another name, with the preset as its page shows it."""

    TRAINING = """\
        import sys
        import numpy
        import paddle
        paddle.set_device(sys.argv[1])
        paddle.seed(1)
        net = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.GELU(), paddle.nn.Linear(16, 1))
        optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        draw = numpy.random.default_rng(1)
        for step in range(1, 31):
            x = draw.standard_normal((32, 8)).astype("float32")
            loss = ((net(paddle.to_tensor(x)) - paddle.to_tensor(x[:, :1] + 2)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            print(f"step {step} loss {float(loss):.6f}", flush=True)
        """

    def experiment(self, static=False):
        self.write("train.py", self.TRAINING)
        self.write("faults.json", json.dumps({"faults": [{"op": "gelu", "relative": 0.3}]}))
        page = (SOURCE / "configs/presets/paddle-npu.md").read_text().split("## Other custom devices")[1]
        shown = page.split("```yaml\n")[1].split("```")[0].replace("paddle-npu", "paddle-npu-static" if static else "paddle-npu")
        devices = shown[shown.index("{devices"):].rstrip().removesuffix("}").removeprefix("{")
        self.write("experiment.yaml", f"""\
            version: 1
            name: other-device
            {shown.splitlines()[0]}
            reference:
              command: [{PYTHON}, train.py, "mlu:0"]
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_TYPE: mlu, STANDIN_NPU_MAKE: gpu}}
            subject:
              command: [{PYTHON}, train.py, "mlu:0"]
              {devices}
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_TYPE: mlu, STANDIN_NPU_FAULTS: {self.folder}/faults.json}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            suspects: {{ops: {{discover: true}}}}
            """)

    def test_an_operator_is_discovered_moved_and_seen_to_move(self):
        self.experiment()
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertGreater(len(report["suspects"]), 5)
        self.assertEqual(report["no_effect"], [])

    def test_in_static_graphs_paddle_is_asked_for_that_device(self):
        self.experiment(static=True)
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertIn("gelu_grad", [one["name"] for one in found["ops"]])


if __name__ == "__main__":
    main()
