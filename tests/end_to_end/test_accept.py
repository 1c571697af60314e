"""`accept`: the curve of a run becomes the baseline of later ones, never by mistake."""
import unittest

from space import Space, hostile_experiment


class Accept(Space):
    def run_of(self, *options, code=0, **more):
        self.write("experiment.yaml", hostile_experiment(*options, suspects=2, **more))
        self.bisectd("run", "experiment.yaml", "--new", code=code)
        return self.run_folder()

    def test_it_never_overwrites_silently(self):
        folder = self.run_of()
        self.assertIn("wrote baselines/hostile.json: loss of hostile, ",
                      self.bisectd("accept", folder, code=0).out)
        file = self.folder / "baselines/hostile.json"
        before = file.read_bytes()
        self.assertIn("nothing was written", self.bisectd("accept", folder, code=0).out)
        folder = self.run_of("--last-loss", "2.004", reference="environment: {X: '1'}")
        done = self.bisectd("accept", folder, code=2)
        self.assertRegex(done.out, r"it differs by \+0\.\d\d %")
        self.assertEqual(file.read_bytes(), before)
        self.bisectd("accept", folder, "--yes", code=0)
        self.assertNotEqual(file.read_bytes(), before)

    def test_a_log_that_was_cut_since_is_no_baseline(self):
        folder = self.run_of()
        log = sorted(folder.glob("trials/*/attempt-1/stdout.log"))[-1]
        log.write_text("".join(log.read_text().splitlines(keepends=True)[:40]))
        self.assertRegex(self.bisectd("accept", folder, code=2).err, r"not accepted: .*up to step 100 .*ends at step \d+ now")
        self.assertFalse((self.folder / "baselines").exists())

    def test_what_it_refuses(self):
        self.assertIn("agrees with its reference", self.bisectd("accept", self.run_of("--cause", "op1=3", code=1), code=2).err)
        self.bisectd("accept", self.run_folder(), "--yes", code=0)
        noisy = ("--noise", "0.005", "--seed", "1")
        self.run_of(*noisy, reference="", perturbed=False)
        text = (self.folder / "experiment.yaml").read_text().replace('"--steps", "100"]', '"--steps", "100", "--noise", "0.005", "--seed", "2"]')
        (self.folder / "experiment.yaml").write_text(text + "accept: {max_repeats: 1}\n")
        self.bisectd("run", "experiment.yaml", "--new", code=0)
        self.assertIn("only once", self.bisectd("accept", self.run_folder(), "-o", "noisy.json", code=2).err)
        self.assertRegex(self.bisectd("accept", self.run_folder(), "--of", "reference", "-o", "r.json", code=0).out, "2 runs, noise 0")
        self.assertIn("not a run directory", self.bisectd("accept", ".", code=2).err)
        self.bisectd("run", "experiment.yaml", "--out", "other", "--new", code=0)
        (self.folder / "r.json").write_text("[]")
        self.assertIn("no baseline", self.bisectd("accept", self.run_folder(), "--of", "reference", "-o", "r.json", code=2).err)

    def test_a_baseline_of_something_else_is_refused(self):
        self.bisectd("accept", self.run_of(), code=0)
        text = (self.folder / "experiment.yaml").read_text()
        begin, end = text.index("reference:"), text.index("subject:")
        text = text[:begin] + "reference: {curve: baselines/hostile.json}\n" + text[end:]
        good = (self.folder / "baselines/hostile.json").read_text()
        for experiment, baseline, words in (
                (text, good, None), (text.replace("name: hostile", "name: other"), good, "baseline of `hostile`"),
                (text.replace("{loss: {format: paddleocr}}", "{acc: {format: paddleocr}}"), good, "metric `loss`"),
                (text, good.replace("7.", "8.", 1), "damaged"),
                (text, good.replace('"bisectd_baseline": 1', '"bisectd_baseline": 2'), "another bisectd"),
                (text, good[:len(good) // 2], "as if cut off")):
            with self.subTest(words):
                (self.folder / "experiment.yaml").write_text(experiment)
                (self.folder / "baselines/hostile.json").write_text(baseline)
                done = self.bisectd("run", "experiment.yaml", "--new", code=2 if words else 0)
                if words:
                    self.assertIn(words, done.err)
                    self.assertIn("experiment.yaml:3:", done.err)


if __name__ == "__main__":
    unittest.main()
