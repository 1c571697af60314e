"""The recorded references that the tests on frameworks share (Space.with_recorded_reference): made once, and anew for another framework."""
import pathlib
import unittest
from unittest import mock

import space
from space import Space, hostile_experiment


class RecordedReference(Space):
    def recording(self):
        experiment = self.with_recorded_reference(hostile_experiment("--cause", "op1=3", suspects=2))
        self.write("experiment.yaml", experiment)
        return experiment.split("reference: {curve: ")[1].split("}")[0]

    def test_another_framework_has_another_recording(self):
        pins = self.write("requirements.sha256", "paddle 3.2")
        recordings = self.folder / "recordings"
        with mock.patch.multiple(space, RECORDINGS=recordings, FRAMEWORKS=(pins,)):
            first = self.recording()
            self.assertEqual(self.recording(), first)
            pins.write_text("paddle 3.3")
            self.assertNotEqual(self.recording(), first)
        self.assertEqual(len(list(recordings.glob("*.json"))), 2)
        self.bisectd("run", "experiment.yaml", code=1)
        self.assertEqual(self.culprits(self.report()), ["ops:op1"])

    def test_a_run_goes_on_however_its_recording_and_its_experiment_were_named(self):
        recorded = pathlib.Path(self.recording())
        self.write("here.json", recorded.read_text())
        experiment = (self.folder / "experiment.yaml").read_text()
        for curve in ("here.json", self.folder / "here.json", recorded):
            for name in ("experiment.yaml", self.folder / "experiment.yaml"):
                with self.subTest(curve=curve, name=name):
                    self.write("experiment.yaml", experiment.replace(str(recorded), str(curve)))
                    self.bisectd("run", "--new", name, code=1)
                    self.assertIn("culprits found", self.bisectd("resume", "bisectd-out/latest", code=1).out)

    def test_a_recording_that_is_too_short_is_refused_before_anything_starts(self):
        experiment = hostile_experiment("--cause", "op1=3", suspects=2, steps=100)
        self.write("short.yaml", experiment.replace('"--steps", "100"', '"--steps", "50"').replace("metric:", "steps: 50\nmetric:", 1))
        self.bisectd("record", "short.yaml", "-o", "reference.json", code=0)
        begin, end = experiment.index("reference:"), experiment.index("subject:")
        self.write("long.yaml", experiment[:begin] + "reference: {curve: reference.json}\n" + experiment[end:] + "steps: 100\n")
        said = "the reference cannot be used: it ends at step 50, and `steps` is 100"
        self.assertIn(said, self.bisectd("check", "long.yaml", code=4).out)
        self.assertIn(said, self.bisectd("run", "long.yaml", code=4).out)
        self.assertEqual(self.report()["attempts"], 0)

    def test_what_the_subject_does_behind_the_end_of_the_reference_is_seen(self):
        experiment = hostile_experiment("--cause", "op1=3", suspects=2, steps=100)
        self.write("gpu.yaml", experiment.replace('"--steps", "100"', '"--steps", "100", "--truncate-at", "60"', 1))
        self.bisectd("record", "gpu.yaml", "-o", "reference.json", code=0)
        begin, end = experiment.index("reference:"), experiment.index("subject:")
        healthy = (experiment[:begin] + "reference: {curve: reference.json}\n" + experiment[end:]).replace(', "--cause", "op1=3"', "")
        said = "loss goes on to step 100, and the reference ends at step 60: what came after that was compared with nothing"
        self.write("experiment.yaml", healthy)
        self.bisectd("run", "experiment.yaml", code=0)
        self.assertIn(said, " ".join(self.report()["warnings"]))
        self.write("experiment.yaml", healthy.replace('"--perturbed", "0.01"', '"--perturbed", "0.01", "--nan-from", "70"'))
        done = self.bisectd("run", "--new", "experiment.yaml", code=3)
        self.assertIn(said + ", and at step 70 it is nan", done.out)

    def test_a_recording_of_a_longer_training_is_doubted(self):
        experiment = hostile_experiment("--cause", "op1=3", suspects=2, steps=100)
        self.write("long.yaml", experiment)
        self.bisectd("record", "long.yaml", "-o", "reference.json", code=0)
        begin, end = experiment.index("reference:"), experiment.index("subject:")
        short = experiment[:begin] + "reference: {curve: reference.json}\n" + experiment[end:]
        for steps, doubted in ((50, True), (95, False)):
            with self.subTest(steps=steps):
                self.write("short.yaml", short + f"steps: {steps}\n")
                said = f"the recorded reference goes on to step 100, and `steps` is {steps}: if its learning rate depends on the length"
                self.assertEqual(said in self.bisectd("check", "short.yaml", code=0).out, doubted)
                self.bisectd("run", "--new", "short.yaml", code=1)
                self.assertEqual([said in warning for warning in self.report()["warnings"]].count(True), doubted)

    def test_a_reference_that_stops_early_is_refused(self):
        experiment = hostile_experiment("--cause", "op1=3", suspects=2, extra="steps: 100").replace('"--steps", "100"', '"--steps", "50"', 1)
        self.write("experiment.yaml", experiment)
        done = self.bisectd("run", "experiment.yaml", code=4)
        self.assertIn("it ends at step 50, and `steps` is 100", done.out)


if __name__ == "__main__":
    unittest.main()
