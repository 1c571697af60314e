"""`bisectd compare` on logs that are damaged, or are none of a healthy training."""
import gzip
import unittest

from space import Space


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
        self.check(b"\0\xff\x1b[31m" * 1000, 2, "no line has a number called loss", "--metric", "loss")
        self.check("", 2, "no line has a number called loss", "--metric", "loss")
        self.check(gzip.compress(log().encode()), 2, "npu.log: it is compressed by gzip: unpack it first", "--metric", "loss")
        self.check(log().encode("utf-16"), 2, "npu.log: it is UTF-16", "--metric", "loss")


if __name__ == "__main__":
    unittest.main()
