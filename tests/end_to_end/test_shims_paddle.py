"""The shims of the families layers and layer_ops alone, those of `hold` and of fall-back lines, and Paddle's launcher."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

from paddle_space import PADDLE, PYTHON, STANDIN, WARM, WarmSpace, main
from space import SOURCE, Space


class Alone(Space):
    """A shim alone, on a device that does not round: what is moved is exactly the CPU's."""

    START = str(PYTHON),
    SHIM = {"PYTHONPATH": str(SOURCE / "configs/presets/python")}

    def run_python(self, *words, **environment):
        environment = {"CUSTOM_DEVICE_ROOT": str(STANDIN), "OMP_NUM_THREADS": "1", **self.SHIM, **environment}
        start = self.START if words[0] != "-c" else [PYTHON]
        self.done = subprocess.run([*start, *words], cwd=self.folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
        return self.done.stdout

    def train(self, *options, faults=(), **environment):
        file = self.write("faults.json", json.dumps({"rounding": 0, "faults": list(faults)}))
        out = self.run_python(PADDLE / "train.py", "-c", PADDLE / "rec.yml", "-o", "Global.epoch_num=1", "Global.log_smooth_window=1",
                              "Global.print_batch_step=1", *options, STANDIN_NPU_FAULTS=str(file), **environment)
        return out, [float(loss) for loss in re.findall(r"loss: ([\d.]+)", out)]


class Moved(WarmSpace, Alone):
    START = WARM

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

    def moves_passes_in_mixed_precision(self, level):
        amp = "Global.use_amp=true", "Global.scale_loss=1024.0", f"Global.amp_level={level}"
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

    def test_passes_of_operators_moved_in_mixed_precision(self):
        self.moves_passes_in_mixed_precision("O1")

    def test_passes_of_operators_moved_where_parameters_are_float16(self):
        self.moves_passes_in_mixed_precision("O2")


class LayerShim(Alone):
    def test_an_operator_of_which_the_cpu_returns_other_outputs_is_refused(self):
        """A device may keep in an output what the CPU's kernel leaves empty: then nobody knows which is which."""
        out = self.run_python("-c", "import paddle, sys\n"
                                    "def pair(x): return x * 2, (x * 3 if x.place.is_custom_place() else None)\n"
                                    "paddle._C_ops.pair = pair\n"
                                    "import bisectd_paddle_within; bisectd_paddle_within.install()\n"
                                    "paddle.set_device('npu:0')\n"
                                    "class Net(paddle.nn.Layer):\n"
                                    "    def forward(self, x): return paddle._C_ops.pair(x)[0]\n"
                                    "x = paddle.ones([3]); x.stop_gradient = False\n"
                                    "Net()(x).sum().backward(); print('went on')\n",
                              BISECTD_PADDLE_CPU_LAYER_OPS="Net/pair_grad")
        self.assertIn("bisectd-paddle: cannot move Net/pair_grad: the CPU returns other outputs than the device\n", out)
        self.assertEqual(self.done.returncode, 3)

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


class FallBacks(Alone):
    """The shim that leaves only these lines of GLOG_v=3."""

    def logged(self, level, only=""):
        _, losses = self.train("Global.use_npu=true", GLOG_v=level, BISECTD_PADDLE_FALL_BACKS=only, CUSTOM_DEVICE_BLACK_LIST="hard_swish,relu_grad",
                               FLAGS_use_stride_kernel="0")
        self.assertEqual((self.done.returncode, len(losses)), (0, 20), self.done.stderr[-1000:])
        return len(self.done.stderr), sorted(re.findall(r"missing npu kernel: .*", self.done.stderr))

    def test_their_lines_stay_and_the_log_is_short(self):
        whole, lines = self.logged("3")
        self.assertIn("missing npu kernel: hardswish, expected_kernel_key:(npu, Undefined(AnyLayout), float32), fallbacking to CPU one!", lines)
        short, left = self.logged("3", "1")
        self.assertLess(short, whole / 10)
        self.assertEqual(set(left), set(lines))
        self.assertGreater(len(left), 0.95 * len(lines))  # some come before Paddle is imported to its end

    def test_another_level_is_the_users_own(self):
        self.assertEqual(self.logged("0", "1")[1], [])


class Stopped(Alone):
    """SIGTERM ends a training, unless it handles it in its own way."""

    def end_of(self, before="", after="", **environment):
        self.run_python("-c", f"import os, signal\n{before}\nimport paddle\n{after}\nos.kill(os.getpid(), signal.SIGTERM)", **environment)
        return self.done

    def test_by_the_signal_and_without_a_backtrace(self):
        self.assertIn("Termination signal", self.end_of().stdout)  # what Paddle does by itself
        done = self.end_of(BISECTD_ATTEMPT="run/0001-1")
        self.assertEqual((done.returncode, done.stdout), (-signal.SIGTERM, ""))

    def test_in_its_own_way(self):
        own = "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))"
        self.assertEqual(self.end_of(after=own, BISECTD_ATTEMPT="run/0001-1").returncode, 7)

    def test_imported_by_another_thread(self):
        done = self.end_of(before="import threading\nt = threading.Thread(target=lambda: __import__('paddle')); t.start(); t.join()",
                           BISECTD_ATTEMPT="run/0001-1")
        self.assertIn("Termination signal", done.stdout)


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


if __name__ == "__main__":
    main()
