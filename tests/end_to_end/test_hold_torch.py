"""`hold` on real trainings that set no seed themselves, PyTorch and PaddlePaddle: the same weights, order of data and dropout
masks in every run of both sides."""
import pathlib
import re
import textwrap
import unittest

from space import SOURCE, Space
from torch_space import PYTHON

STANDIN = SOURCE / "build/standin-npu"

TORCH = """\
    import sys; sys.path.insert(0, "SOURCE/examples/torch")
    import torch, standin_npu
    device = standin_npu.DEVICE
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.5), torch.nn.Linear(16, 1)).to(device)
    data = torch.utils.data.TensorDataset(torch.arange(64).reshape(64, 1) % 8 + torch.arange(8) / 8.0, torch.arange(64))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    optimizer = torch.optim.SGD(net.parameters(), 1e-3)
    dropped = lambda hidden: (net[1](hidden) == 0).to("cpu").int().flatten().tolist()
    clear = optimizer.zero_grad
    """.replace("SOURCE", str(SOURCE))
PADDLE = """\
    import numpy, paddle
    paddle.set_device("npu:0")
    net = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.Dropout(0.5), paddle.nn.Linear(16, 1))
    rows = (numpy.arange(64).reshape(64, 1) % 8 + numpy.arange(8) / 8.0).astype("float32")
    data = paddle.io.TensorDataset([paddle.to_tensor(rows), paddle.arange(64)])
    loader = paddle.io.DataLoader(data, batch_size=8, shuffle=True)
    optimizer = paddle.optimizer.SGD(1e-3, parameters=net.parameters())
    device = None
    dropped = lambda hidden: (net[1](hidden) == 0).astype("int32").numpy().flatten().tolist()
    clear = optimizer.clear_grad
    """
TRAIN = """\
    import random
    print("python", random.random())
    step = 0
    for epoch in range(4):
        for x, numbers in loader:
            x = x.to(device) if device is not None else x
            step += 1
            loss = ((net(x) - x[:, :1]) ** 2).mean()
            loss.backward()
            optimizer.step()
            clear()
            if step % 10 == 1:
                print("order", step, numbers.tolist())
                print("mask", step, "".join(map(str, dropped(net[0](x)))))
            print("step", step, "loss", float(loss), flush=True)
    """


class Held(Space):
    def drawn(self, script, preset, python, environment, hold, pool):
        self.write("train.py", textwrap.dedent(script) + textwrap.dedent(TRAIN))
        self.write("experiment.yaml", f"""\
            version: 1
            name: held
            extends: {preset}
            reference:
              command: [{python}, train.py]
              environment: {{{environment}, STANDIN_NPU_MAKE: gpu}}
              repeats: 2
            subject:
              command: [{python}, train.py]
              environment: {{{environment}}}
              devices: {pool}
            perturb: none
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            accept: {{target: 1%}}
            suspects: {{flags: all}}
            {hold}
            """)
        done = self.bisectd("run", "experiment.yaml", "--new", code=None, timeout=300)
        logs = [file.read_text() for file in self.run_folder().glob("trials/*/attempt-*/stdout.log")]
        self.assertGreater(len(logs), 3, done.out + done.err)
        return done, {what: {"\n".join(re.findall(rf"(?m)^{what} .*", log)) for log in logs} for what in ("python", "order", "mask")}

    def check(self, *training):
        done, drawn = self.drawn(*training[:4], "hold: {seed: 1024, deterministic: true}", training[4])
        self.assertEqual({what: len(ways) for what, ways in drawn.items()}, {"python": 1, "order": 1, "mask": 1})
        self.assertEqual(done.returncode, 0, done.out)
        # What is drawn is asked of a few runs; no search has to end.
        _, drawn = self.drawn(*training[:4], "search: {budget: {trials: 1}}", training[4])
        self.assertGreater(min(len(ways) for ways in drawn.values()), 1, "what is not held differs")

    def test_pytorch(self):
        self.check(TORCH, "torch-npu", PYTHON, "OMP_NUM_THREADS: '1'", "{ids: [0, 1], visible_variable: none}")

    def test_paddle(self):
        self.check(PADDLE, "paddle-npu", SOURCE / ".venv/bin/python", f"CUSTOM_DEVICE_ROOT: {STANDIN}", "{ids: [0, 1]}")


if __name__ == "__main__":
    missing = [str(path) for path in (pathlib.Path(SOURCE / ".venv/bin/python"), STANDIN / "libstandin-npu.so") if not path.exists()]
    if missing:
        raise SystemExit(f"not there: {', '.join(missing)}; examples/prepare makes them (tests/run calls it)")
    unittest.main()
