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


if __name__ == "__main__":
    unittest.main()
