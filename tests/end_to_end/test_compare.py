"""`bisectd compare` on logs of the stand-in trainer: exit codes, the table, JSON, mistakes."""
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

    def test_of_two_logs_the_second_is_the_candidate(self):
        self.assertRegex(self.compare("gpu1.log", "npu.log", code=1).out, "npu.log +loss +fail")
        self.compare("gpu1.log", "gpu2.log", "npu.log", code=2)

    def test_a_log_of_no_known_format(self):
        for name, factor in (("gpu.txt", 1), ("npu.txt", 1.03)):
            (self.folder / name).write_text("".join(f"step {i:4} loss {factor * (2 + 6 * 0.99 ** i):.6f}\n" for i in range(300)))
        self.assertRegex(self.compare("gpu.txt", "npu.txt", code=1).out, r"npu.txt +loss +fail +\+3\.00 %")
        (self.folder / "npu.txt").write_text("nothing\n")
        self.assertIn("npu.txt: no line has a number called loss", self.compare("npu.txt", "npu.txt", code=2).err)

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

    def test_a_named_standard_is_said_and_decides_nothing(self):
        for name, factor in (("gpu.txt", 1), ("npu.txt", 1.015)):
            (self.folder / name).write_text("".join(f"step {i} loss {factor * (2 + 6 * 0.99 ** i):.6f}\n" for i in range(300)))
        for standard, said in (
                ("mindformers", r"MindFormers is not met: first value off by 0\.12 or 1\.5 % \(at most 0\.005 or 0\.5 %\), mean error"),
                ("msprobe", r"msprobe's guide is not met: first value off by 1\.5 % \(at most 1 %\), mean error 1\.5 % \(at most 1 %\)"),
                ("verl", r"verl is met: mean error 1\.5 % \(at most 2 %\)"),
                ("mindspeed", r"MindSpeed-LLM's CI is met: largest error of a step 1\.5 % \(at most 2 %\)")):
            self.assertRegex(self.compare("gpu.txt", "npu.txt", "--standard", standard, code=1).out, f"\n  the standard of {said}")
        row = json.loads(self.compare("gpu.txt", "npu.txt", "--standard", "verl", "--json", code=1).out)["rows"][0]
        self.assertEqual((row["verdict"], row["by_standard"]["met"]), ("fail", True))
        self.assertIsNone(json.loads(self.compare("gpu.txt", "npu.txt", "--json", code=1).out)["rows"][0]["by_standard"])
        self.assertIn("mindformers", self.compare("gpu.txt", "npu.txt", "--standard", "mindformer", code=2).err)

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


if __name__ == "__main__":
    unittest.main()
