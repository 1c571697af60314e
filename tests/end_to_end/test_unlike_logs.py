"""Logs that are not what they seem: several losses, other numbers of steps, other intervals. Nobody is accused for them, nothing is
called healthy, and the result says what to change."""
import unittest

from space import Space

TRAINER = '''\
import math, os, random, sys
side, style = sys.argv[1:]
off = os.environ.get("BISECTD_OFF", "").split(",")
seed = int(os.environ.get("MOVED_BY", "0"))
if side == "npu":
    for i in range(6):
        print(f"bisectd: {'off' if f'op{i}' in off else 'ran'} op{i}")
fault = 0.15 if side == "npu" and "op2" not in off else 0
moved = 1e-3 if seed else 1e-6 if side == "npu" else 0
data, lot = random.Random(1), random.Random(f"{side}{seed}{off}")
saved = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoint")
first = 46 if style == "resumes" and os.path.exists(saved) else 1
for step in range(first, 61):
    drift = moved * 10 ** (step / 40)
    drift = lot.gauss(0, 1) * drift / (1 + drift / 0.01)
    wrong = (1.5 + 5 * math.exp(-step / 50)) * (1 + 0.01 * data.gauss(0, 1)) * (1 + drift) * (1 + fault * (1 - math.exp(-step / 4)))
    right = (0.7 + 0.5 * math.exp(-step / 30)) * (1 + 0.02 * data.gauss(0, 1)) * (1 + drift)
    if style == "parts": print(f"step {step}/60 cls loss: {right:.6f} box loss: {wrong:.6f}")
    elif style == "nets": print(f"[discriminator] step {step} loss {right:.6f}\\n[generator] step {step} loss {wrong:.6f}")
    elif style == "epochs": print(f"epoch: {step // 20 + 1} step: {step % 20 + 1}, loss is {wrong:.6f}")
    elif style == "validates":
        print(f"[{step:3}/60] Train loss: {wrong:.6f} ({wrong / 2:.6f})")
        if step % 20 == 0: print(f"[{step:3}/60] Valid loss: 3.25")
    elif style == "from0": print(f"step {step - 1} loss {wrong:.6f}")
    elif style != "rarely" or step % 4 == 0: print(f"step {step} loss {wrong:.6f}")
if style == "resumes": open(saved, "w").close()
'''


class UnlikeLogs(Space):
    def search(self, reference, subject, code):
        self.write("train.py", TRAINER)
        self.write("experiment.yaml", f"""\
version: 1
name: logs
extends: generic
reference: {{command: [python3, train.py, gpu, {reference}]}}
subject: {{command: [python3, train.py, npu, {subject}]}}
perturb: {{environment: MOVED_BY}}
""")
        return self.bisectd("run", "experiment.yaml", "--new", code=code).out

    def test_several_losses_on_a_line(self):
        self.assertIn("none of them is a total: cls loss, box loss", self.search("parts", "parts", code=4))

    def test_two_lines_for_each_step(self):
        self.assertIn("a step has up to 2 different values of loss", self.search("nets", "nets", code=4))

    def test_steps_of_each_epoch(self):
        self.search("epochs", "epochs", code=1)
        self.assertEqual(self.culprits(self.report()), ["names:op2"])

    def test_other_numbers(self):
        out = self.search("plain", "from0", code=4)
        self.assertIn("the steps run from 0 to 59 here, from 1 to 60 in the reference", out)

    def test_a_checkpoint_of_an_earlier_attempt(self):
        out = self.search("plain", "resumes", code=4)
        self.assertIn("loss begins at step 46, and at 1 in the reference: if it went on from a checkpoint", out)
        self.assertNotIn("breaks", out)

    def test_a_subject_that_logs_more_rarely(self):
        self.search("plain", "rarely", code=1)
        self.assertEqual(self.culprits(self.report()), ["names:op2"])


if __name__ == "__main__":
    unittest.main()
