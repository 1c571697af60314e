"""Searches on the real PaddlePaddle with the stand-in NPU: what is planted in the device is what is found."""
import json
import os
import textwrap
import unittest

import warm_start
from space import SOURCE, Space

PYTHON = SOURCE / ".venv/bin/python"
STANDIN = SOURCE / "build/standin-npu"
PADDLE = SOURCE / "examples/paddle"
WARM = str(PYTHON), warm_start.__file__, "paddle.socket"  # in a folder of WarmSpace


class WarmSpace(Space):
    """Trainings that start by WARM have imported Paddle already, which takes two fifths of their processor time."""

    MODULES = "paddle",

    def setUp(self):
        super().setUp()
        self.enterContext(warm_start.serving(PYTHON, self.folder / "paddle.socket", self.MODULES, {**os.environ, "OMP_NUM_THREADS": "1"}))


class PaddleSpace(WarmSpace):
    """80 steps of the small recogniser, one attempt in two to three seconds. Reference, device and CPU round in three ways."""

    START = WARM

    def experiment(self, faults, *, devices="[0, 1]", options="", environment="", suspects="ops: {discover: true}", extra="",
                   reference_options="", recorded=True):
        self.write("faults.json", json.dumps(faults))
        command = (f'{", ".join(self.START)}, {PADDLE}/train.py, -c, {PADDLE}/rec.yml, -o, Global.use_npu=true, Global.log_smooth_window=1, '
                   f'Global.print_batch_step=1, "Global.save_model_dir={{attempt}}/output"')
        experiment = textwrap.dedent(f"""\
            version: 1
            name: paddle
            extends: paddle-npu
            reference:
              command: [{command}{reference_options}]
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_MAKE: gpu}}
              devices: {{kind: npu, ids: [2, 3]}}
            subject:
              command: [{command}{options}]
              devices: {{kind: npu, ids: {devices}}}
              environment:
                CUSTOM_DEVICE_ROOT: {STANDIN}
                STANDIN_NPU_FAULTS: {self.folder}/faults.json
                {environment}
              timeout: 2m
              stall: 60s
              exit_grace: 10s
            metric: {{loss: {{format: paddleocr}}}}
            suspects:
              {suspects}
            {extra}
            """)
        if recorded:
            experiment = self.with_recorded_reference(experiment, PADDLE / "train.py", PADDLE / "trainer", PADDLE / "rec.yml",
                                                      STANDIN / "libstandin-npu.so")
        self.write("experiment.yaml", experiment)

    def find(self, faults, code=1, **experiment):
        self.experiment(faults, **experiment)
        done = self.bisectd("run", "experiment.yaml", code=code, timeout=600)
        self.assertEqual(self.processes_of_this_test(), [])
        return self.report(), done

    def names(self, report):
        return sorted(culprit["name"] for culprit in report["culprit_set"])

    def descend(self, fault, layer, part, **more):
        report, _ = self.find({"faults": [fault]}, suspects="layers: {discover: true, then: ops}", **more)
        self.assertEqual([one["name"] for one in report["descent"]["opened"]], [layer])
        self.assertEqual(self.culprits(report), [f"layer_ops:{layer}/{part}"])
        self.assertEqual(report["no_effect"], [])
        self.assertLessEqual({f"{layer}/{part.removesuffix('_grad')}", f"{layer}/{part.removesuffix('_grad')}_grad"},
                             {one["name"] for one in report["suspects"]}, "both passes are suspects")


def main():
    """Of every file of tests that trains with Paddle."""
    missing = [str(path) for path in (PYTHON, STANDIN / "libstandin-npu.so") if not path.exists()]
    if missing:
        raise SystemExit(f"not there: {', '.join(missing)}; examples/prepare makes them (tests/run calls it)")
    unittest.main()
