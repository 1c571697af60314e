"""`bisectd align` on PyTorch with a device of our own; and odds from dumps that msprobe itself made and compared, where it is
installed (tests/msprobe/install; MSPROBE_PYTHONPATH names the folder of its package and what it needs)."""
import json
import os
import shutil
import subprocess
import unittest

from torch_space import WARM, WarmSpace, example, main

MSPROBE = os.environ.get("MSPROBE_PYTHONPATH")


class Align(WarmSpace):
    def align(self, faults, code=1):
        experiment = example(WARM)
        self.write("experiment.yaml", experiment.replace("gelu_backward*1.5;tanh*1.4&gelu", faults))
        return json.loads(self.bisectd("align", "--json", "experiment.yaml", code=code, timeout=300).out)


class Directions(Align):
    def test_healthy_devices_agree(self):
        result = self.align("", code=0)
        self.assertEqual((result["verdict"], result["perturbed_runs"], len(result["modules"])), ("agrees", 2, 7))

    def test_a_forward_operator(self):
        result = self.align("gelu*1.1")
        self.assertEqual((result["forward"]["module"], result["forward"]["class"]), ("2", "GELU"))

    def test_a_backward_operator(self):
        result = self.align("gelu_backward*1.5")
        self.assertEqual((result["forward"], result["backward"]["module"]), (None, "2"))
        flags = [flag for module in result["modules"] for flag in module["flags"]]
        self.assertEqual(flags, [])


TRAINING = """\
import json, sys, torch
from msprobe.pytorch import PrecisionDebugger
side, task, fault = sys.argv[1:]
with open(f"{side}.json", "w") as file:
    json.dump({"task": task, "dump_path": f"dump-{side}", "rank": [], "step": [0], "level": "mix",
               task: {"scope": [], "list": [], "data_mode": ["all"]}}, file)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(144, 5)
    def forward(self, x):
        x = torch.nn.functional.gelu(self.norm(self.conv(x)))
        return self.head((x * 1.05 if fault == "extra" else x).flatten(1))
if fault == "batch_norm":
    right = torch.nn.functional.batch_norm
    torch.nn.functional.batch_norm = lambda x, *rest: right(torch.cat([2 * x[:1], x[1:]]), *rest)
torch.manual_seed(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
debugger = PrecisionDebugger(config_path=f"{side}.json")
debugger.start(model=net)
torch.nn.functional.cross_entropy(net(torch.randn(8, 1, 8, 8)), torch.arange(8) % 5).backward()
optimizer.step()
debugger.stop()
debugger.step()
"""


@unittest.skipUnless(MSPROBE, "msprobe is not installed: tests/msprobe/install, and configure again")
class Dumps(WarmSpace):
    def python(self, *words):
        done = subprocess.run([*WARM.split(", "), *words], cwd=self.folder, env={**os.environ, "PYTHONPATH": MSPROBE},
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def dumped(self, task, fault):
        self.write("train.py", TRAINING)
        for side in ("gpu", "npu"):
            self.python("train.py", side, task, fault if side == "npu" else "none")

    def compared(self, task, fault, *options):
        """The table that msprobe makes of a right and a wrong step."""
        self.dumped(task, fault)
        dumps = [str(next(self.folder.glob(f"dump-{side}/step0/*/dump.json"))) for side in ("npu", "gpu")]
        self.python("-m", "msprobe.msprobe", "compare", "-tp", dumps[0], "-gp", dumps[1], "-o", "compared", *options)
        table, = self.folder.glob("compared/*")
        return table

    def check(self, table, code=0):
        experiment = example()
        experiment = experiment[:experiment.index("suspects:")]
        experiment += f"suspects: {{modules: {{members: [conv, norm, head], likely: {{from: {table}}}}}}}\n"
        self.write("experiment.yaml", experiment)
        return self.bisectd("check", "experiment.yaml", code=code)

    FOUND = r"modules: likely by .*: norm \(20\), .*what computes batch_norm \(20\)"

    def test_odds_of_a_comparison_of_tensors(self):
        self.assertRegex(self.check(self.compared("tensor", "batch_norm")).out, self.FOUND)

    def test_odds_of_a_comparison_of_statistics(self):
        self.assertRegex(self.check(self.compared("statistics", "batch_norm")).out, self.FOUND)

    def test_odds_of_a_spreadsheet(self):
        table = self.compared("statistics", "batch_norm", "--xlsx")
        self.assertEqual(table.suffix, ".xlsx")
        self.assertRegex(self.check(table).out, self.FOUND)

    def test_dumps_themselves(self):
        for task in ("statistics", "tensor"):
            with self.subTest(task):
                self.dumped(task, "batch_norm")
                self.bisectd("align", "--from", "dump-gpu", "dump-gpu", "--out", "same", code=0)
                result = json.loads(self.bisectd("align", "--json", "--from", "dump-gpu", "dump-npu", code=1).out)
                self.assertEqual([result["forward"][key] for key in ("module", "caller")], ["Functional.batch_norm", "norm"])
                found, = self.folder.glob("bisectd-out/*/align.json")
                self.assertRegex(self.check(found).out, r"norm \(20\)")
                for folder in ("dump-gpu", "dump-npu", "bisectd-out"):
                    shutil.rmtree(self.folder / folder)
        self.dumped("statistics", "extra")
        done = self.bisectd("align", "--from", "dump-gpu", "dump-npu", code=1)
        self.assertIn("only on the subject: Tensor.__mul__", done.out)
        self.assertIn("it is computed between modules", done.out)

    def test_healthy_sides_and_a_call_on_one_side_only(self):
        done = self.check(self.compared("statistics", "none"))
        self.assertIn("nothing deviates there", done.out + done.err)
        for folder in ("dump-gpu", "dump-npu", "compared"):
            shutil.rmtree(self.folder / folder)
        done = self.check(self.compared("statistics", "extra"))
        self.assertIn("only the subject calls __mul__", done.out + done.err)
        self.assertRegex(done.out, r"what computes __mul__ \(20\)")


if __name__ == "__main__":
    main()
