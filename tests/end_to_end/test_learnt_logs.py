"""Logs that nobody described: what is read of them is found out, said, and read the same way in every later run."""
import json
import math
import unittest

from space import Space
from test_unlike_logs import TRAINER

WATCHED = "{'loss': %s, 'grad_norm': %s, 'learning_rate': 1e-05, 'epoch': 0.01}\n"


def value(step):
    return 2 + 5 * math.exp(-step / 20) + 0.05 * math.sin(7 * step)


def log(line, factor=1.0, steps=60, nan="", after=""):
    lines = ""
    for step in range(1, steps + 1):
        loss = value(step) * (factor if step > 5 else 1)
        text = nan if nan and step > 30 else f"{loss:.6f}"
        lines += line.format(step=step, loss=text, other=f"{loss * 1.1:.6f}") + (after if step % 20 == 0 else "")
    return lines


class Compare(Space):
    def compare(self, reference, candidate, code, *options):
        self.write("gpu.log", reference)
        self.write("npu.log", candidate)
        return json.loads(self.bisectd("compare", "--json", *options, "gpu.log", "npu.log", code=code).out)

    def test_what_was_read_is_said(self):
        line = "global step {step}, loss: {loss}, speed: 2.88 steps/s\n"
        found = self.compare(log(line, after="valid step 7, loss: 3.25\n"), log(line, 1.03), 1)
        self.assertEqual(found["read"][0], {
            "file": "gpu.log", "metric": "loss", "values": 60, "first_step": 1, "last_step": 60,
            "like": line.format(step=1, loss=f"{value(1):.6f}").strip(), "left_out": [{"lines": 3, "what": "of validation"}]})
        self.assertEqual([one["file"] for one in found["read"]], ["gpu.log", "npu.log"])
        self.assertEqual(found["read"][1]["left_out"], [])
        said = self.bisectd("compare", "gpu.log", "npu.log", code=1).out
        self.assertIn('gpu.log: read 60 values of loss, steps 1 to 60, from lines like "global step 1, loss: ', said)
        self.assertIn("; left out: 3 lines of validation\n", said)

    def test_a_nan_in_every_spelling_fails_at_its_step(self):
        for line in ("[Epoch 1][Iter: {step}/300] loss: {loss}, ips: 3.2\n", "\rSteps:   2%|#    | {step}/824 [31:29<30:59, 1.3s/it, loss={loss}]",
                     '{{"step": {step}, "loss": {loss}}}\n'):
            for nan in ("nan", "nanxxx", "-inf", "None"):
                found = self.compare(log(line), log(line, nan=nan), 1)
                self.assertEqual(found["rows"][0]["first_bad_step"], 31, (line, nan))

    def test_a_bar_that_is_refreshed_more_rarely_is_read_by_its_steps(self):
        line = "\rEpoch 0:  79%|###  | {step}/60 [00:07<00:01, 12.85it/s, v_num=2, loss={loss}]"
        rarely = "".join(line.format(step=step, loss=f"{value(step):.6f}") for step in range(5, 61, 5))
        found = self.compare(rarely, log(line), 0)
        self.assertEqual([(one["values"], one["first_step"]) for one in found["read"]], [(12, 5), (60, 1)])

    def test_one_of_several_ranks_is_read(self):
        line = "[rank1] step {step} loss {other}\n[rank0] step {step} loss {loss}\n"
        found = self.compare(log(line), log("[rank0] step {step} loss {loss}\n[rank1] step {step} loss {other}\n", 1.03), 1)
        self.assertEqual([one["values"] for one in found["read"]], [60, 60])
        self.assertIn({"lines": 60, "what": "of other ranks than 0"}, found["read"][0]["left_out"])

    def test_a_part_is_read_by_its_name(self):
        table = "epoch, train/box_loss, train/cls_loss\n" + log("{step}, {loss}, {other}\n")
        self.write("results.csv", table)
        self.assertEqual(self.compare(table, table, 0, "--metric", "box_loss")["read"][0]["last_step"], 60)
        refused = self.bisectd("compare", "results.csv", "results.csv", code=2)
        self.assertIn("none of them is a total: train/box_loss, train/cls_loss; name one with --metric", refused.err)

    def test_a_gradient_that_is_lost_fails_beside_a_loss_of_nothing(self):
        healthy = "".join(WATCHED % (f"{value(step):.4f}", "1.27") for step in range(1, 41))
        lost = "".join(WATCHED % ((f"{value(step):.4f}", "1.27") if step < 4 else ("0.0", "nan")) for step in range(1, 41))
        found = self.compare(healthy, lost, 1, "--worse-only")
        self.assertIn("the gradient norm is not finite from step 4 on", found["rows"][0]["text"])

    def test_a_loss_scale_is_told_between_the_lines(self):
        line = "Epoch 1/200, Step {step}/3995, loss: {loss}\n"
        falling = "".join(line.format(step=step, loss=f"{value(step):.6f}") + (
            f"[WARNING] overflow, still update, loss scale adjust to {65536 / 2 ** (step - 40)}\n" if step > 40 else "") for step in range(1, 61))
        self.assertIn("the loss scale fell to its minimum at step 56", self.compare(log(line), falling, 1)["rows"][0]["text"])

    def test_where_no_loss_is_this_is_said(self):
        self.write("gpu.log", "step 1 accuracy 0.5\nstep 2 accuracy 0.6\n")
        self.assertIn("no line has a number called loss", self.bisectd("compare", "gpu.log", "gpu.log", code=2).err)


class Run(Space):
    def experiment(self, more=""):
        self.write("train.py", TRAINER)
        self.write("experiment.yaml", f"""\
version: 1
name: learnt
extends: generic
reference: {{command: [python3, train.py, gpu, validates]}}
subject: {{command: [python3, train.py, npu, validates]}}
perturb: {{environment: MOVED_BY}}
{more}
""")

    def test_what_the_first_runs_taught_is_journaled(self):
        for metric in ("", "metric: loss", "metric: {loss: }"):
            self.experiment(metric)
            self.bisectd("run", "experiment.yaml", "--new", code=1)
            self.assertEqual(self.culprits(self.report()), ["names:op2"])
        lines = [json.loads(line) for line in (self.run_folder() / "journal.jsonl").read_text().splitlines()]
        learnt = [line["learnt"]["loss"] for line in lines if "learnt" in line]
        self.assertTrue(learnt)
        self.assertEqual({(one["metric"], one["step"]) for one in learnt}, {(learnt[0]["metric"], learnt[0]["step"])})

    def test_what_is_read_is_said_before_a_night(self):
        self.experiment("steps: 60")
        said = self.bisectd("check", "experiment.yaml", "--run", code=0)
        self.assertIn("read 60 values of Train loss, steps 1 to 60, from lines like", said.out + said.err)


if __name__ == "__main__":
    unittest.main()
