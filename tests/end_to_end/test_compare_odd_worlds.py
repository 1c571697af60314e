"""`bisectd compare` where trainings are odd and healthy, or nearly so."""
import math
import unittest

from space import Space
from test_compare_bad_logs import line


class OddWorlds(Space):
    """Two healthy devices, whose runs drift apart as rounding makes them: whatever the training is like, no log is accused."""

    STEPS = 200

    def healthy(self, name, side, shape=lambda loss, step: loss, steps=STEPS, digits=9):
        """A run that is off by 1e-7 at first and ten times as much every 23 steps, up to 2 %: at each batch to another side."""
        text = ""
        for step in range(1, steps + 1):
            apart = 1e-7 * 10 ** (step / 23)
            loss = (2 + 6 * 0.98 ** step) * (1 + math.sin(step * step * side) * apart / (1 + apart / 0.02)) * (1 + 0.01 * ((step * 37) % 11 - 5))
            text += line(step, f"{shape(loss, step):.{digits}f}")
        (self.folder / name).write_text(text)
        return name

    def world(self, *shape, references=3, says=(), **options):
        names = [self.healthy(f"gpu{i}.log", side, *shape, **options) for i, side in enumerate((0.3, -1.1, 0.8)[:references])]
        for side in (-1.4, 0.6, 1.6):
            done = self.bisectd("compare", *names, "--format", "paddleocr", "--", self.healthy("npu.log", side, *shape, **options))
            self.assertIn(done.returncode, (0, 3), done.out + done.err)
            for text in says:
                self.assertIn(text, done.out + done.err)

    def test_few_references(self):
        self.world(references=1, says=["no run of the reference shows what rounding grows to"])
        self.world(references=2)
        self.world()

    def test_references_of_other_lengths(self):
        self.healthy("long.log", 0.4, steps=300)
        names = [self.healthy(f"gpu{i}.log", side) for i, side in enumerate((0.3, -1.1))]
        done = self.bisectd("compare", *names, "long.log", "--format", "paddleocr", "--", self.healthy("npu.log", -0.8))
        self.assertIn(done.returncode, (0, 3), done.out + done.err)

    def test_losses_of_all_sizes(self):
        self.world(lambda loss, step: loss * 0.97 ** step)
        self.world(lambda loss, step: loss - 12)
        self.world(lambda loss, step: loss if step < 150 else float("nan"))
        self.world(lambda loss, step: loss if step < 60 else 2.0)
        self.world(digits=4)

    def test_warm_up_of_half_the_run(self):
        self.world(lambda loss, step: 8 + (loss - 8) * 1e-6 if step <= 100 else loss)

    def test_other_dropout_masks(self):
        seeds = iter(range(100))
        def masked(loss, step, runs={}):
            if step == 1:
                runs["seed"] = next(seeds)
            return loss * (1 + 0.01 * (((step * 7919 + runs["seed"] * 104729) ** 2 % 1009) / 504.5 - 1))
        self.world(masked)

    def test_a_fault_that_shows_late(self):
        names = [self.healthy(f"gpu{i}.log", side) for i, side in enumerate((0.3, -1.1, 0.8, -0.4, 1.2))]
        late = self.healthy("npu.log", 0.5, lambda loss, step: loss * (1.04 if step > 150 else 1))
        of_late = self.bisectd("compare", *names, "--format", "paddleocr", "--", late)
        self.assertIn(of_late.returncode, (1, 3), of_late.out)
        gross = self.healthy("npu.log", 0.5, lambda loss, step: loss * (1.6 if step > 150 else 1))
        for count in (1, 3, 5):
            self.assertIn("fail", self.bisectd("compare", *names[:count], "--format", "paddleocr", "--", gross, code=1).out)


if __name__ == "__main__":
    unittest.main()
