"""`bisectd compare` on logs of the stand-in trainer: exit codes, the table, JSON, mistakes, odd trainings."""
import json
import subprocess
import unittest

from space import HOSTILE, Space


class Compare(Space):
    def setUp(self):
        super().setUp()
        for name in ("gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "good"):
            self.train(f"{name}.log")
        self.train("npu.log", "--cause", "op1=3")

    def train(self, name, *options, noise=("--noise", "0.05", "--step-noise", "0.2")):
        environment = self.environment({"BISECTD_ATTEMPT": f"x/{name}"})
        with open(self.folder / name, "wb") as log:
            subprocess.run([HOSTILE, "--steps", "300", *noise, "--seed", "7", *options], env=environment, stdout=log,
                           check=True)

    def compare(self, *arguments, code):
        return self.bisectd("compare", *arguments, code=code)

    REFERENCES = [f"gpu{i}.log" for i in range(1, 6)]

    def test_a_good_log_passes_and_a_bad_one_fails(self):
        self.assertRegex(self.compare(*self.REFERENCES, "--", "good.log", code=0).out, "good.log +loss +pass")
        done = self.compare(*self.REFERENCES, "--", "good.log", "npu.log", code=1)
        self.assertRegex(done.out, r"npu.log +loss +fail +\+[23]\.")
        self.assertNotIn("\x1b", done.out)
        self.assertNotIn(": difference over the run", done.out)  # no plot in a pipe

    def test_the_plot_shows_the_difference(self):
        done = self.compare(*self.REFERENCES, "--", "npu.log", "--plot", "always", code=1)
        self.assertIn("npu.log, loss: difference over the run", done.out)
        self.assertGreater(done.out.count("*"), 50)

    def test_json(self):
        done = self.compare(*self.REFERENCES, "--", "npu.log", "--json", code=1)
        result = json.loads(done.out)
        self.assertEqual(result["verdict"], "fail")
        self.assertAlmostEqual(result["rows"][0]["delta"], 0.03, delta=0.003)
        self.assertEqual(len(result["rows"][0]["course"]), 60)

    def test_too_much_noise_is_inconclusive(self):
        for i in range(3):
            self.train(f"noisy{i}.log", noise=("--noise", "2"))
        self.compare("noisy0.log", "noisy1.log", "--", "noisy2.log", code=3)

    def test_strict_is_stricter(self):
        for i in range(6):
            self.train(f"noisy{i}.log", noise=("--noise", "0.16"))
        references = [f"noisy{i}.log" for i in range(5)]
        loose = self.bisectd("compare", *references, "--", "noisy5.log")
        strict = self.compare(*references, "--", "noisy5.log", "--strict", code=3)
        self.assertEqual(loose.returncode, 0, loose.out)
        self.assertIn("strict", strict.out)

    def test_several_metrics_and_a_missing_one(self):
        for name in ("a.log", "b.log", "c.log"):
            self.train(name, "--score-every", "10")
        done = self.bisectd("compare", "a.log", "b.log", "--format", "paddleocr-eval", "--score", "acc", "--", "c.log")
        self.assertIn("acc", done.out)
        done = self.compare("gpu1.log", "--metric", "recall", "--", "good.log", code=2)
        self.assertIn("recall", done.err)

    def test_mistakes(self):
        self.assertIn("after `--`", self.compare("gpu1.log", code=2).err)
        self.assertIn("no such file: nothere.log", self.compare("gpu1.log", "--", "nothere.log", code=2).err)
        self.assertIn("did you mean 'paddleseg'?", self.compare("gpu1.log", "--format", "padleseg", "--", "npu.log", code=2).err)
        (self.folder / "odd.log").write_text("epoch: [1/1], global_step: 1, loss: abc\n")
        self.assertIn("odd.log", self.compare("gpu1.log", "--format", "paddleocr", "--", "odd.log", code=2).err)

    def test_lines_that_a_terminal_must_not_see(self):
        name = "npu\x1b[31m.log"
        self.train(name)
        self.assertNotIn("\x1b", self.compare(*self.REFERENCES, "--", name, code=0).out)


def line(step, loss):
    return f"epoch: [1/1], global_step: {step}, lr: 0.1, loss: {loss}, avg_samples: 256.0\n"


def log(steps=range(1, 301), factor=1.0, digits=6):
    return "".join(line(step, f"{factor * (2 + 6 * 0.99 ** step):.{digits}f}") for step in steps)


class BadLogs(Space):
    """Each gives a clear error or follows a stated rule: never a crash, never a silent verdict."""

    def check(self, candidate, code, text, *options, reference=None):
        for name, content in (("gpu.log", reference if reference is not None else log()), ("npu.log", candidate)):
            (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        options = options or ("--format", "paddleocr")
        done = self.bisectd("compare", "gpu.log", *options, "--", "npu.log", code=code)
        self.assertIn(text, done.out + done.err)

    def test_what_cannot_be_judged_is_unresolved_and_says_why(self):
        self.check(log(range(1001, 1301)), 3, "no logged step in common")
        self.check(log(range(1, 151)), 3, "ends at step 150 of 300")
        self.check(log([7]), 3, "ends at step 7 of 300")
        self.check(log(list(range(1, 240)) + [300]), 3, "missing in the final window")

    def test_values_that_are_no_loss_fail(self):
        nan = "".join(line(step, "nan") for step in range(1, 301))
        self.check(nan, 1, "NaN or infinite at 300 step(s)")
        self.check(log(range(1, 300)) + line(300, "-inf"), 1, "NaN or infinite")
        self.check("".join(line(step, "1e308") for step in range(1, 301)), 1, "fail")
        self.check(log(factor=-1), 1, "fail")

    def test_a_reference_that_cannot_be_one_is_an_error(self):
        self.check(log(), 2, "zero everywhere", reference=log(factor=0))
        self.check(log(), 2, "not finite", reference="".join(line(step, "nan") for step in range(1, 301)))
        self.check(log(), 2, 'logged "loss"', reference="")
        self.check(log(), 2, "impossible step", reference=line(2 ** 62, "1.5"))

    def test_what_is_only_ugly_is_read(self):
        for ugly in (log(range(1, 200)) + log(range(150, 301)),                   # restarted
                     log().replace("\n", "\r"), log().replace("\n", "\r\n"),      # line ends
                     "".join(f" {i} %|###   |\r" for i in range(100)) + log(),    # a progress bar
                     log().replace("epoch", "\x1b[1;32mepoch").replace(", avg", "\x1b[0m, avg"),
                     log(range(1, 100)) + "x" * (1 << 20) + "\n" + log(range(100, 301)),
                     log(range(1, 100)).encode() + b"\xff\xfe\x80\n\0\n" + log(range(100, 301)).encode(),
                     log() + '{"step": 300, "loss": 99}\nstep,loss\n300,99\n[TRAIN] epoch: 1, iter: 300/300, loss: 99\n'):
            self.check(ugly, 0, "pass")

    def test_lines_and_files_that_are_damaged_are_named(self):
        self.check(log(range(1, 200)) + line(200, "abc") + log(range(201, 301)), 2, "npu.log:200: the value 'abc'")
        self.check(log(), 2, "gpu.log", "--format", "tfevents", reference=b"\x00" * 7 + b"\x80" + b"\x00" * 40)
        self.check(log(), 2, "gpu.log", "--format", "vdlrecords", reference=b"\x00" * 7 + b"\x80" + b"\x00" * 40)
        self.check(b"\0\xff\x1b[31m" * 1000, 2, "no known format", "--metric", "loss")
        self.check("", 2, "no known format", "--metric", "loss")


class OddWorlds(Space):
    """Two healthy devices, whose runs drift apart as rounding makes them: whatever the training is like, no log is accused."""

    STEPS = 200

    def healthy(self, name, side, shape=lambda loss, step: loss, steps=STEPS, digits=9):
        """A run that is off to its own side, by 1e-7 at first and ten times as much every 23 steps, up to 2 %."""
        text = ""
        for step in range(1, steps + 1):
            apart = 1e-7 * 10 ** (step / 23)
            loss = (2 + 6 * 0.98 ** step) * (1 + side * apart / (1 + apart / 0.02)) * (1 + 0.01 * ((step * 37) % 11 - 5))
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
        self.world(references=1, says=["inconclusive", "not measured"])
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
        late = self.healthy("npu.log", 0.5, lambda loss, step: loss * (1.01 if step > 150 else 1))
        self.assertIn(self.bisectd("compare", *names, "--format", "paddleocr", "--", late).returncode, (0, 3))
        gross = self.healthy("npu.log", 0.5, lambda loss, step: loss * (1.6 if step > 150 else 1))
        self.assertIn("fail", self.bisectd("compare", *names, "--format", "paddleocr", "--", gross, code=1).out)
        few = self.bisectd("compare", *names[:3], "--format", "paddleocr", "--", gross, code=3)
        self.assertIn("too few to tell", few.out)


if __name__ == "__main__":
    unittest.main()
