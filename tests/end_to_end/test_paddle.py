"""The main job on the real PaddlePaddle with the stand-in NPU: what is planted in the device is what is found."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import textwrap
import time
import unittest

from space import SOURCE, Space

PYTHON = SOURCE / ".venv/bin/python"
STANDIN = SOURCE / "build/standin-npu"
PADDLE = SOURCE / "examples/paddle"
SEG = SOURCE / "examples/paddleseg"


class Paddle(Space):
    """80 steps of the small recogniser, one attempt in two to three seconds. Reference, device and CPU round in three ways."""

    def experiment(self, faults, *, devices="[0, 1]", options="", environment="", suspects="ops: {discover: true}", extra="",
                   grace="10s", reference_options="", recorded=True):
        self.write("faults.json", json.dumps(faults))
        command = (f'{PYTHON}, {PADDLE}/train.py, -c, {PADDLE}/rec.yml, -o, Global.use_npu=true, Global.log_smooth_window=1, '
                   f'Global.print_batch_step=1, "Global.save_model_dir={{attempt}}/output"')
        experiment = textwrap.dedent(f"""\
            version: 1
            name: paddle
            extends: paddle-npu
            reference:
              command: [{command}{reference_options}]
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_MAKE: gpu}}
              devices: {{kind: npu, ids: [2, 3]}}
              repeats: 5
            subject:
              command: [{command}{options}]
              devices: {{kind: npu, ids: {devices}}}
              environment:
                CUSTOM_DEVICE_ROOT: {STANDIN}
                STANDIN_NPU_FAULTS: {self.folder}/faults.json
                {environment}
              timeout: 2m
              stall: 60s
              exit_grace: {grace}
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

    def test_a_forward_operator(self):
        report, _ = self.find({"faults": [{"op": "hard_swish", "relative": 0.1}]})
        self.assertEqual(self.names(report), ["hard_swish"])

    def test_a_backward_operator_and_its_forward_stays_innocent(self):
        report, _ = self.find({"faults": [{"op": "batch_norm_grad", "relative": 0.3}]})
        self.assertEqual(self.names(report), ["batch_norm_grad"])

    def test_an_optimizer_operator(self):
        report, _ = self.find({"faults": [{"op": "adam", "relative": 0.1}]})
        self.assertEqual(self.names(report), ["adam"])

    def test_the_optimizer_kills_it_and_the_operator_behind_it_too(self):
        """As `adam` did in PaddleOCR: Paddle prints an operator when it has run, which this one never does."""
        faults = [{"op": "adam", "crash_at_call": 1}, {"op": "hard_swish_grad", "crash_at_call": 50}]
        report, done = self.find({"faults": faults}, extra="accept: {goal: runs}\n            steps: 80")
        self.assertEqual(self.causes(report), [["adam"], ["hard_swish_grad"]])
        discoveries = [trial for trial in report["trial_list"] if trial["role"] == "discovery"]
        self.assertEqual(len(discoveries), 2, "the second one comes to its end")
        self.assertIn("it broke (killed by SIGABRT before the first step)", done.out)

    def test_two_independent_operators(self):
        report, _ = self.find({"faults": [{"op": "hard_swish", "relative": 0.1}, {"op": "adam", "relative": 0.1}]})
        self.assertEqual(self.causes(report), [["adam"], ["hard_swish"]])

    def test_a_layer_and_then_the_operators_that_it_uses(self):
        faults = {"faults": [{"op": "pad3d_grad", "relative": 0.3}]}
        report, _ = self.find(faults, suspects="layers: {discover: true}")
        self.assertEqual(self.names(report), ["depthwise"])  # of the others that pad, hardly anything is upstream
        self.assertGreater(len(report["suspects"]), 15)
        self.assertEqual(report["no_effect"], [])
        self.assertIn("BISECTD_PADDLE_CPU_LAYERS", {one["name"] for one in report["workaround"]["environment"]})
        report, _ = self.find(faults, suspects="ops: {discover: true}",
                              extra="families: {ops: {discover: {environment: {BISECTD_PADDLE_LIST_OPS_OF: depthwise}}}}")
        self.assertEqual(self.names(report), ["pad3d_grad"])
        self.assertLess(len(report["suspects"]), 15)

    def descend(self, fault, layer, part, **more):
        report, _ = self.find({"faults": [fault]}, suspects="layers: {discover: true, then: ops}", **more)
        self.assertEqual([one["name"] for one in report["descent"]["opened"]], [layer])
        self.assertEqual(self.culprits(report), [f"layer_ops:{layer}/{part}"])
        self.assertEqual(report["no_effect"], [])
        self.assertLessEqual({f"{layer}/{part.removesuffix('_grad')}", f"{layer}/{part.removesuffix('_grad')}_grad"},
                             {one["name"] for one in report["suspects"]}, "both passes are suspects")

    AMP = dict(options=", Global.use_amp=true, Global.scale_loss=1024.0, Global.use_dynamic_loss_scaling=true", extra="accept: {target: 2%}")

    def test_a_layer_and_then_its_backward_operator_in_one_run(self):
        self.descend({"op": "pad3d_grad", "relative": 0.3}, "depthwise", "pad3d_grad")

    def test_a_layer_and_then_its_backward_operator_in_mixed_precision(self):
        self.descend({"op": "pad3d_grad", "relative": 1.0}, "depthwise", "pad3d_grad", **self.AMP)

    def test_a_layer_and_then_its_forward_operator_in_mixed_precision(self):
        self.descend({"op": "rnn", "relative": 0.3}, "sequence", "rnn", **self.AMP)

    def test_a_flag(self):
        faults = [{"op": op, "relative": 0.1, "when": {"flag": "FLAGS_npu_storage_format", "is": True}}
                  for op in ("conv2d", "hard_swish", "batch_norm")]
        report, _ = self.find({"faults": faults}, environment='FLAGS_npu_storage_format: "1"', suspects="flags: all")
        self.assertEqual(self.names(report), ["FLAGS_npu_storage_format"])

    def test_an_operator_that_is_wrong_only_while_a_flag_is_on(self):
        fault = {"op": "hard_swish", "relative": 0.1, "when": {"flag": "FLAGS_npu_storage_format", "is": True}}
        report, done = self.find({"faults": [fault]}, environment='FLAGS_npu_storage_format: "1"',
                                 suspects="{ops: {discover: true}, flags: [FLAGS_npu_storage_format]}")
        self.assertEqual(self.causes(report), [["FLAGS_npu_storage_format", "hard_swish"]])
        self.assertRegex(done.out, "only together")

    def test_the_first_operator_that_overflows_is_named_by_paddles_own_check(self):
        report, _ = self.find({"faults": [{"op": "gelu_grad", "nan_from_call": 40}]}, suspects="{ops: [gelu_grad, hard_swish, adam]}")
        self.assertEqual(self.names(report), ["gelu_grad"])
        check, = [trial for trial in report["trial_list"] if trial["role"] == "overflow-check"]
        self.assertIn(f"gelu_grad is the first operator with an inf or a nan, by the framework's own check (trial {check['number']})",
                      " ".join(report["warnings"]))

    def test_a_dynamic_loss_scale_that_collapses_is_read_and_its_operator_named(self):
        """The training goes on without NaN: Paddle's GradScaler leaves out every step, and says so."""
        report, done = self.find({"faults": [{"op": "gelu_grad", "nan_from_call": 40}]}, suspects="{ops: [gelu_grad, hard_swish, adam]}",
                                 options=", Global.use_amp=true, Global.scale_loss=1024.0, Global.use_dynamic_loss_scaling=true",
                                 extra="accept: {target: 2%}")
        self.assertEqual(self.names(report), ["gelu_grad"])
        number = next(trial["number"] for trial in report["trial_list"] if trial["role"] == "as-is")
        as_is, = self.run_folder().glob(f"trials/{number:04}-*/attempt-1/stdout.log")
        self.assertIn("Found inf or nan, current scale is: 1024.0, decrease to: 1024.0*0.5", as_is.read_text())
        self.assertIn("gelu_grad is the first operator with an inf or a nan, by the framework's own check", " ".join(report["warnings"]))

    def test_only_a_dynamic_loss_scale_passes(self):
        """The numbers overflow in every step; the scaler comes down from there in the first few."""
        report, _ = self.find({"faults": []}, options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                              reference_options=", Loss.multiplier=0.001", suspects="{loss_scale: all}",
                              extra="families: {loss_scale: {suspect: 67108864.0, values: [134217728.0, dynamic]}}\n            accept: {target: 8%}")
        self.assertEqual(report["workaround"]["arguments"], ["Global.use_dynamic_loss_scaling=True"])

    def test_an_underflow_that_a_larger_loss_scale_mends_too(self):
        # float16 gradients of one kernel underflow at a loss scale of 64: either the operator goes to the CPU or the scale
        # goes up, and the scale is the cheaper fix.
        scale = "loss_scale: {suspect: 64.0}"
        report, done = self.find({"faults": [{"op": "gelu_grad", "flush_below": 1e-4}]},
                                 options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                                 reference_options=", Loss.multiplier=0.001", extra=f"families: {{{scale}}}",
                                 suspects="{ops: [gelu_grad, hard_swish, adam], loss_scale: [128.0, 8192.0, 65536.0]}")
        self.assertEqual(self.causes(report), [["gelu_grad", "loss_scale"]])
        self.assertEqual(self.names(report), ["loss_scale"])
        self.assertIn("Global.scale_loss=65536.0", done.out)
        ladder, = report["ladders"]
        self.assertEqual([one["value"] for one in ladder["values"]], ["128.0", "8192.0", "65536.0"])
        self.assertEqual(ladder["window"]["recommended"], "65536.0")

    def test_an_underflow_in_a_private_format_and_black_listing_said_to_be_cheap(self):
        # Three families meet: any one of operator, format and scale mends it, and the price says which one is taken.
        fault = {"op": "gelu_grad", "flush_below": 1e-4, "when": {"flag": "FLAGS_npu_storage_format", "is": True}}
        report, done = self.find({"faults": [fault]}, environment='FLAGS_npu_storage_format: "1"',
                                 options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                                 reference_options=", Loss.multiplier=0.001", extra="families: {loss_scale: {suspect: 64.0}}",
                                 suspects="{ops: {members: [gelu_grad, adam], price: {gelu_grad: 0.1}}, "
                                          "flags: [FLAGS_npu_storage_format], loss_scale: [8192.0, 65536.0]}")
        self.assertEqual(self.causes(report), [["FLAGS_npu_storage_format", "gelu_grad", "loss_scale"]])
        self.assertEqual(self.names(report), ["gelu_grad"])

    def test_gradient_clipping_is_a_toggle(self):
        clipping = '{toggles: {clip_norm_global: {argument: "Optimizer.clip_norm={value}", safe: "5.0"}}}'
        report, done = self.find({"faults": []}, options=', Optimizer.clip_norm=0, "{arguments}"',
                                 extra=f"families: {{clipping: {clipping}}}",
                                 suspects="{ops: [hard_swish, adam], clipping: all}")
        self.assertEqual(self.names(report), ["clip_norm_global"])
        self.assertEqual(report["workaround"]["arguments"], ["Optimizer.clip_norm=5.0"])

    def test_mixed_precision_is_a_toggle(self):
        # Without a loss scale most of the gradients are too small for float16.
        report, _ = self.find({"faults": []}, options=', Global.use_amp=true, Loss.multiplier=0.001, "{arguments}"',
                              reference_options=", Loss.multiplier=0.001", suspects="{amp: [use_amp], ops: [hard_swish, adam]}")
        self.assertEqual(self.names(report), ["use_amp"])
        self.assertEqual(report["workaround"]["arguments"], ["Global.use_amp=False"])

    def test_an_operator_that_mixed_precision_leaves_in_float32(self):
        # Only then can it go to the CPU, which has no float16 kernel for it.
        self.experiment({"faults": []}, options=', Global.use_amp=true, Global.scale_loss=1024.0, "{arguments}"',
                        suspects="{ops: [matmul_v2, gelu], amp_black: [matmul_v2, gelu]}", extra="accept: {target: 5%}")
        self.bisectd("trial", "experiment.yaml", "--off", "ops:matmul_v2", code=4)
        judged = json.loads(self.bisectd("trial", "experiment.yaml", "--off", "ops:matmul_v2,amp_black:matmul_v2", "--json",
                                         code=0).out)
        command = pathlib.Path(judged["attempts"][0], "command.sh").read_text()
        self.assertIn("Global.amp_custom_black_list=[matmul_v2]", command)

    def test_nothing_wrong(self):
        report, _ = self.find({"faults": []}, code=0, recorded=False)
        self.assertEqual(report["outcome"], "aligned")

    def test_static_graphs_ask_paddle_which_operators_can_fall_back(self):
        self.experiment({"faults": []})
        text = (self.folder / "experiment.yaml").read_text().replace("extends: paddle-npu", "extends: paddle-npu-static")
        self.write("experiment.yaml", text)
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        names = [one["name"] for one in found["ops"]]
        self.assertGreater(len(names), 100)
        self.assertIn("add_grad", names)  # as static graphs compare it
        self.assertNotIn("elementwise_add_grad", names)
        self.assertNotIn("memcpy_d2h", names)

    def test_the_cause_is_outside_the_suspects(self):
        report, done = self.find({"faults": []}, code=3, options=", Optimizer.lr.learning_rate=0.003",
                                 suspects="ops: [hard_swish, adam]")
        self.assertEqual(report["outcome"], "outside_suspects")
        self.assertIn("hyper-parameters", done.out)

    def test_an_operator_whose_black_listing_crashes(self):
        # Under AMP the CPU has no float16 kernel for it: Paddle's own NotFound ends the run.
        report, done = self.find({"faults": [{"op": "gelu", "relative": 0.6}]},
                                 options=", Global.use_amp=true, Global.scale_loss=1024.0",
                                 suspects="ops: [matmul_v2, gelu, adam]", extra="accept: {target: 2%}")
        self.assertEqual(self.names(report), ["gelu"])
        self.assertIn("matmul_v2", done.out)

    def test_a_training_that_hangs_after_its_last_step(self):
        report, _ = self.find({"faults": [{"op": "hard_swish", "relative": 0.1}], "at_exit": "hang"}, grace="1s",
                              suspects="ops: [hard_swish, adam]")
        self.assertEqual(self.names(report), ["hard_swish"])

    def test_one_device_gives_the_same_answer_as_two(self):
        faults = {"faults": [{"op": "hard_swish", "relative": 0.1}]}
        one, _ = self.find(faults, devices="[0]", suspects="ops: [hard_swish, adam, relu, batch_norm]")
        two, _ = self.find(faults, devices="[0, 1]", suspects="ops: [hard_swish, adam, relu, batch_norm]")
        self.assertEqual(one["culprit_set"], two["culprit_set"])
        self.assertEqual(one["causes"], two["causes"])

    def test_kill_and_resume(self):
        self.experiment({"faults": [{"op": "adam", "relative": 0.1}]}, suspects="ops: [hard_swish, adam, relu, batch_norm]",
                        recorded=False)
        process = self.start("run", "experiment.yaml")
        self.wait_for(lambda: self.run_folder().exists() and sum(r["kind"] == "judged" for r in self.journal()) >= 3, 60)
        time.sleep(0.5)
        process.kill()
        process.wait()
        self.bisectd("resume", self.run_folder(), code=1, timeout=300)
        self.assertEqual(self.names(self.report()), ["adam"])
        ended = [(r["trial"], r["attempt"]) for r in self.journal() if r["kind"] == "attempt-ended"]
        self.assertEqual(len(ended), len(set(ended)))
        self.assertEqual(self.processes_of_this_test(), [])


class OtherDevice(Space):
    """A custom device of another name, with the preset as its page shows it."""

    TRAINING = """\
        import sys
        import numpy
        import paddle
        paddle.set_device(sys.argv[1])
        paddle.seed(1)
        net = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.GELU(), paddle.nn.Linear(16, 1))
        optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        draw = numpy.random.default_rng(1)
        for step in range(1, 31):
            x = draw.standard_normal((32, 8)).astype("float32")
            loss = ((net(paddle.to_tensor(x)) - paddle.to_tensor(x[:, :1] + 2)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            print(f"step {step} loss {float(loss):.6f}", flush=True)
        """

    def experiment(self, static=False):
        self.write("train.py", self.TRAINING)
        self.write("faults.json", json.dumps({"faults": [{"op": "gelu", "relative": 0.3}]}))
        page = (SOURCE / "configs/presets/paddle-npu.md").read_text().split("## Other custom devices")[1]
        shown = page.split("```yaml\n")[1].split("```")[0].replace("paddle-npu", "paddle-npu-static" if static else "paddle-npu")
        devices = shown[shown.index("{devices"):].rstrip().removesuffix("}").removeprefix("{")
        self.write("experiment.yaml", f"""\
            version: 1
            name: other-device
            {shown.splitlines()[0]}
            reference:
              command: [{PYTHON}, train.py, "mlu:0"]
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_TYPE: mlu, STANDIN_NPU_MAKE: gpu}}
            subject:
              command: [{PYTHON}, train.py, "mlu:0"]
              {devices}
              environment: {{CUSTOM_DEVICE_ROOT: {STANDIN}, STANDIN_NPU_TYPE: mlu, STANDIN_NPU_FAULTS: {self.folder}/faults.json}}
            metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
            suspects: {{ops: {{discover: true}}}}
            """)

    def test_an_operator_is_discovered_moved_and_seen_to_move(self):
        self.experiment()
        self.bisectd("run", "experiment.yaml", code=1, timeout=600)
        report = self.report()
        self.assertEqual(self.culprits(report), ["ops:gelu"])
        self.assertGreater(len(report["suspects"]), 5)
        self.assertEqual(report["no_effect"], [])

    def test_in_static_graphs_paddle_is_asked_for_that_device(self):
        self.experiment(static=True)
        found = json.loads(self.bisectd("discover", "experiment.yaml", "--json", "--quiet", code=0).out)
        self.assertIn("gelu_grad", [one["name"] for one in found["ops"]])


class LayerShim(unittest.TestCase):
    """The shim of the family layers alone, on a device that does not round: what is moved is exactly the CPU's."""

    SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python")}

    def run_python(self, *words, **environment):
        environment = {"CUSTOM_DEVICE_ROOT": str(STANDIN), "OMP_NUM_THREADS": "1", **self.SHIM, **environment}
        self.done = subprocess.run([PYTHON, *words], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
        return self.done.stdout

    def train(self, *options, faults=(), **environment):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "faults.json")
            file.write_text(json.dumps({"rounding": 0, "faults": list(faults)}))
            out = self.run_python(PADDLE / "train.py", "-c", PADDLE / "rec.yml", "-o", "Global.epoch_num=1", "Global.log_smooth_window=1",
                                  "Global.print_batch_step=1", f"Global.save_model_dir={folder}", *options,
                                  STANDIN_NPU_FAULTS=str(file), **environment)
        return out, [float(loss) for loss in re.findall(r"loss: ([\d.]+)", out)]

    def test_all_layers_moved_compute_what_the_cpu_computes(self):
        listed, _ = self.train("Global.use_npu=true", BISECTD_PADDLE_LIST_LAYERS="1")
        layers = re.findall(r"ran layer (\S+) on the device", listed)
        self.assertIn("Recogniser", layers)
        self.assertIn("sequence", layers)
        wrong = [{"op": op, "relative": 0.5} for op in ("conv2d", "conv2d_grad", "batch_norm", "batch_norm_grad", "rnn", "rnn_grad",
                                                        "gelu", "gelu_grad", "pad3d", "layer_norm", "hard_sigmoid_grad")]
        _, cpu = self.train()
        _, spoilt = self.train("Global.use_npu=true", faults=wrong)
        said, moved = self.train("Global.use_npu=true", faults=wrong, BISECTD_PADDLE_CPU_LAYERS=",".join(layers))
        self.assertEqual(set(re.findall(r"moved layer (\S+) to the CPU", said)), set(layers))
        self.assertEqual(moved, cpu)
        self.assertNotEqual(spoilt, cpu)
        amp = ("Global.use_npu=true", "Global.use_amp=true", "Global.scale_loss=1024.0")
        _, half = self.train(*amp, BISECTD_PADDLE_CPU_LAYERS=",".join(layers))
        for one, other in zip(half, cpu, strict=True):
            self.assertAlmostEqual(one, other, delta=0.002 * other)

    WRONG = "conv2d", "batch_norm", "rnn", "layer_norm", "hard_swish", "depthwise_conv2d"

    def passes(self, *options):
        listed, _ = self.train("Global.use_npu=true", *options, BISECTD_PADDLE_LIST_LAYER_OPS="1")
        names = re.findall(r"ran (\S+/\w+) on the device", listed)
        return [name for name in names if not name.endswith("_grad")], [name for name in names if name.endswith("_grad")]

    def trained_without(self, names, wrong, *options):
        said, losses = self.train("Global.use_npu=true", *options, faults=[{"op": op, "relative": 0.2} for op in wrong],
                                  BISECTD_PADDLE_CPU_LAYER_OPS=",".join(names))
        self.assertEqual(set(re.findall(r"moved (\S+) to the CPU", said)), set(names))
        return losses

    def test_passes_of_operators_moved_compute_what_the_cpu_computes(self):
        forward, backward = self.passes()
        self.assertLessEqual({"stem.conv/conv2d", "stem.norm/batch_norm", "sequence/rnn", "norm/layer_norm"}, set(forward))
        self.assertLessEqual({"stem.conv/conv2d_grad", "sequence/rnn_grad", "norm/layer_norm_grad"}, set(backward))
        wrong_backward = [f"{op}_grad" for op in self.WRONG]
        _, cpu = self.train()
        self.assertEqual(self.trained_without(forward, self.WRONG), cpu)
        self.assertEqual(self.trained_without(backward, wrong_backward), cpu)
        self.assertEqual(self.trained_without([*forward, *backward], [*self.WRONG, *wrong_backward]), cpu)
        # A forward that is moved leaves the backward to the device, with all its faults; the other way round as well.
        self.assertEqual(self.trained_without(forward, wrong_backward), self.trained_without([], wrong_backward))
        wrong_and_kept_by_nobody = ["hard_swish", "depthwise_conv2d"]
        self.assertEqual(self.trained_without(["stem/hardswish_grad", "depthwise.conv/depthwise_conv2d_grad"], wrong_and_kept_by_nobody),
                         self.trained_without([], wrong_and_kept_by_nobody))

    def test_passes_of_operators_moved_in_mixed_precision(self):
        amp = "Global.use_amp=true", "Global.scale_loss=1024.0"
        forward, backward = self.passes(*amp)
        healthy = self.trained_without([], [], *amp)
        wrong_backward = [f"{op}_grad" for op in self.WRONG]

        def off_by(names, wrong):
            return max(abs(one / other - 1) for one, other in zip(self.trained_without(names, wrong, *amp), healthy, strict=True))

        self.assertLess(off_by(forward, self.WRONG), 0.001)
        self.assertLess(off_by(backward, wrong_backward), 0.001)
        self.assertLess(off_by([*forward, *backward], [*self.WRONG, *wrong_backward]), 0.001)
        self.assertGreater(off_by(backward, self.WRONG), 0.003)
        self.assertGreater(off_by([], wrong_backward), 0.001)

    def test_a_layer_that_draws_random_numbers_is_refused(self):
        out = self.run_python("-c", "import paddle; paddle.set_device('npu:0')\n"
                                    "net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Dropout(0.5))\n"
                                    "net(paddle.ones([3, 2]))", BISECTD_PADDLE_CPU_LAYERS="0,1")
        self.assertIn("bisectd-paddle: moved layer 0 to the CPU\n", out)
        self.assertIn("bisectd-paddle: cannot move layer 1: it draws random numbers, and the CPU draws others\n", out)
        self.assertEqual(self.done.returncode, 3)

    def test_the_launcher_wants_labels_of_the_visible_devices(self):
        """Where it takes CUDA_VISIBLE_DEVICES; without a plug-in device it does, and there need be no such device."""
        def launched(devices):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "train.py").write_text("import os; print('took', os.environ.get('FLAGS_selected_gpus'))\n")
                done = subprocess.run([PYTHON, "-m", "paddle.distributed.launch", *devices, "--log_dir", folder, "train.py"], cwd=folder,
                                      env={**os.environ, "CUDA_VISIBLE_DEVICES": "2", "CUSTOM_DEVICE_ROOT": folder},
                                      capture_output=True, text=True, timeout=120)
            return done.stdout + done.stderr

        self.assertIn("took 0", launched(["--devices", "2"]))   # {visible_devices}
        self.assertIn("took 0", launched([]))
        self.assertIn("ValueError", launched(["--devices", "0"]))  # {devices}

    def test_layers_that_draw_random_numbers_are_not_listed(self):
        out = self.run_python("-c", "import paddle; paddle.set_device('npu:0'); nn = paddle.nn\n"
                                    "net = nn.Sequential(nn.Linear(2, 2), nn.RReLU(), nn.Dropout(0.5), nn.ReLU(), nn.Dropout(0))\n"
                                    "net[0].weight.set_value(-paddle.ones([2, 2]))  # what is not negative needs no draw\n"
                                    "net(paddle.ones([3, 2]))", BISECTD_PADDLE_LIST_LAYERS="1")
        self.assertEqual(re.findall(r"ran layer (\S+) on the device", out), ["0", "3", "4"])

    def test_with_nothing_listed_it_is_not_even_imported(self):
        self.assertEqual(self.run_python("-c", "import sys, paddle; print('bisectd_paddle_layers' in sys.modules)"), "False\n")


class Held(Space):
    def test_initial_parameters_and_draws_repeat(self):
        draw = ("import paddle, numpy; print(paddle.nn.Linear(3, 3).weight.numpy().tolist(), paddle.rand([2]).tolist(), "
                "numpy.random.rand())")

        def drawn(seed):
            done = subprocess.run([PYTHON, "-B", "-c", draw], capture_output=True, text=True,
                                  env=self.environment({"PYTHONPATH": str(SOURCE / "configs/presets/python"), "BISECTD_HOLD_SEED": seed}))
            self.assertIn(f"bisectd: held paddle: seed {seed}", done.stderr)
            return done.stdout

        self.assertEqual(drawn("7"), drawn("7"))
        self.assertNotEqual(drawn("7"), drawn("8"))


class Examples(Space):
    """The experiments of examples/, as they are."""

    def find(self, experiment):
        self.bisectd("run", experiment, "--out", self.folder / "bisectd-out", code=1, timeout=900)
        self.assertEqual(self.processes_of_this_test(), [])
        return self.report()

    def test_quickstart(self):
        report = self.find(PADDLE / "quickstart.yaml")
        self.assertEqual(self.causes(report), [["FLAGS_npu_storage_format", "hard_swish"], ["batch_norm_grad"]])

    def test_paddleseg_through_the_launcher(self):
        report = self.find(SEG / "bisenetv2.experiment.yaml")
        self.assertEqual(self.causes(report), [["batch_norm_grad"]])


if __name__ == "__main__":
    missing = [str(path) for path in (PYTHON, STANDIN / "libstandin-npu.so") if not path.exists()]
    if missing:
        raise SystemExit(f"not there: {', '.join(missing)}; examples/prepare makes them (tests/run calls it)")
    unittest.main()
