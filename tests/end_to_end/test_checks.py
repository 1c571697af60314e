"""Facts that both sides must agree on, declared as `checks`: no night is spent on two different trainings."""
import unittest

from space import Space, hostile_experiment


class Checks(Space):
    def run_with(self, checks, *options, code):
        self.write("experiment.yaml", hostile_experiment("--cause", "op3=3", *options, extra=f"checks: {checks}"))
        return self.bisectd("run", "experiment.yaml", code=code)

    def launched(self):
        return [record for record in self.journal() if record["kind"] == "attempt-started"]

    def test_equal_sides_are_searched(self):
        self.write("train_list.txt", "a\nb\n")
        self.run_with("{dataset: {command: [md5sum, train_list.txt]}}", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op3"])

    def test_an_output_that_differs_is_shown_before_anything_is_launched(self):
        self.write("digest", '#!/bin/sh\necho same\necho "${BISECTD_SIDE:-gpu}"\n').chmod(0o755)
        self.write("experiment.yaml", hostile_experiment(
            "--cause", "op3=3", subject="environment: {BISECTD_SIDE: npu}",
            extra="checks: {split: {command: [./digest]}}"))
        done = self.bisectd("run", "experiment.yaml", code=3)
        self.assertIn("split: the reference has 'gpu', the subject 'npu'", done.out)
        self.assertEqual(self.launched(), [])
        self.assertEqual(self.report()["outcome"], "inconclusive")
        again = self.bisectd("resume", "bisectd-out/latest", code=3)
        self.assertIn("split: the reference has 'gpu'", again.out)

    def test_a_command_that_fails_is_no_difference_but_an_error(self):
        done = self.run_with("{dataset: {command: [md5sum, nothere]}}", code=4)
        self.assertIn("the check dataset failed on the side of the reference", done.out + done.err)

    def test_what_the_logs_say_must_agree(self):
        done = self.run_with("{samples: {pattern: 'avg_samples: (?P<value>[0-9.]+)'}}", code=1)
        done = self.run_with("{step: {pattern: 'global_step: (?P<value>101),'}}", "--steps", "120", code=3)
        self.assertIn("step: the log of the reference says nothing, that of the subject '101'", done.out)
        self.assertEqual({record["role"] for record in self.journal() if record["kind"] == "trial"}, {"reference", "as-is"})

    def test_a_recorded_reference_cannot_run_a_command(self):
        self.write("gpu.log", "epoch: [1/1], global_step: 1, loss: 2.0\n")
        text = hostile_experiment("--cause", "op3=3", extra="checks: {dataset: {command: [md5sum, x]}}")
        start, end = text.index("reference:"), text.index("subject:")
        self.write("experiment.yaml", text[:start] + "reference: {curve: gpu.log}\n" + text[end:])
        done = self.bisectd("run", "experiment.yaml", code=2)
        self.assertIn("the reference is recorded", done.err)


if __name__ == "__main__":
    unittest.main()
