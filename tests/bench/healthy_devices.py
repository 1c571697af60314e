#!/usr/bin/env python3
"""Is a healthy device acquitted and a faulty one condemned? Real trainings with Paddle on stand-in devices of many makes, and
on the CPU in ways that users really change, judged by judged_devices.py.

    healthy_devices.py [--worlds devices,transformer,pairs,dose,torch,lstm,...] [--steps 200] [--first-seed 0] [--seeds 5] [--jobs 2]
                       [--bench FILE] [--verbose]

devices  per seed of the training two references (three runs each) on devices of their own make, 15 healthy devices that round
         at 1e-7 to 5e-4, and five faults, each at float32 and at 5e-4; what each does to the loss is measured on the
         reference's own device
transformer  the same with the transformer of examples/paddlenlp and faults of its own
segmentation  the same with the BiSeNetV2 of examples/paddleseg, PaddleSeg's own loop and log (four decimals)
dose     faults of growing size in five operators, measured likewise
pairs    the CPU against itself: other MKL code paths, other thread counts, oneDNN on or off
torch    the same with a small convolutional net in PyTorch
lstm, mlp, gan, regression, warmup, plateau, negative, convolution, edge
         trainings of other kinds (torch_zoo.py) on the stand-in device of examples/torch: ten healthy devices and faults of several
         operators and sizes

Curves are kept in build/bench/healthy: what was trained once is not trained again. 200 steps: a run takes about 5 s of one core.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "build/bench/healthy"
PYTHON = ROOT / "build/torch-npu/bin/python"
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu is beside it
STANDIN = ROOT / "build/standin-npu"
BATCH = 16

FLOAT32 = {"default": None, "1e-7": 1e-7, "1e-5": 1e-5, "1e-4": 1e-4}
HALF = {"products at 5e-4": {"size": 3e-6, "products": 5e-4}, "5e-4": 5e-4}
HEALTHY = [("default", 5), ("1e-7", 2), ("1e-5", 2), ("1e-4", 2), ("products at 5e-4", 2), ("5e-4", 2)]  # size, devices
FAULTS = {"batch_norm_grad +30 %": ("batch_norm_grad", 0.3), "hard_swish +10 %": ("hard_swish", 0.1),
          "gelu +5 %": ("gelu", 0.05), "conv2d_grad +10 %": ("conv2d_grad", 0.1), "adam +5 %": ("adam", 0.05)}
TRANSFORMER_FAULTS = {"layer_norm_grad +30 %": ("layer_norm_grad", 0.3), "gelu_grad +30 %": ("gelu_grad", 0.3),
                      "softmax +10 %": ("softmax", 0.1), "matmul_grad +10 %": ("matmul_grad", 0.1), "adamw +10 %": ("adamw", 0.1)}
SEGMENTATION_FAULTS = {"batch_norm_grad +30 %": ("batch_norm_grad", 0.3), "relu +10 %": ("relu", 0.1),
                       "sigmoid +10 %": ("sigmoid", 0.1), "conv2d +10 %": ("conv2d", 0.1), "momentum +5 %": ("momentum", 0.05)}
DOSES = [("hard_swish", relative) for relative in (0.001, 0.002, 0.004, 0.008, 0.016, 0.032)] + \
        [("adam", relative) for relative in (0.002, 0.005, 0.01, 0.02, 0.04)] + \
        [("batch_norm_grad", relative) for relative in (0.005, 0.01, 0.02, 0.04, 0.08)]
PAIRS = {"MKL_CBWR=COMPATIBLE": {"MKL_CBWR": "COMPATIBLE"}, "MKL_CBWR=AVX2": {"MKL_CBWR": "AVX2"},
         "two threads": {"OMP_NUM_THREADS": "2"}, "oneDNN": {"FLAGS_use_onednn": "1", "FLAGS_use_mkldnn": "1"}}

TORCH_HEALTHY = [("", 2), ("rounding=1e-7", 1), ("rounding=1e-6", 1), ("rounding=1e-5", 1), ("rounding=1e-4", 1), ("products=5e-4", 2),
                 ("rounding=5e-4", 2)]  # settings of examples/torch, devices
TORCH_FAULTS = {"lstm": ("sigmoid", "mm", "embedding_dense_backward"), "mlp": ("addmm", "threshold_backward", "div_"),
                "gan": ("native_layer_norm", "gelu_backward", "softplus"), "regression": ("tanh", "tanh_backward", "mm"),
                "warmup": ("_softmax", "native_layer_norm_backward", "bmm"), "plateau": ("tanh", "mm", "sqrt"),
                "negative": ("silu", "silu_backward", "exp"), "edge": ("native_layer_norm", "gelu_backward", "mm"),
                "convolution": ("hardswish", "native_batch_norm_backward", "convolution_backward_overrideable")}
TORCH_RELATIVE = (0.01, 0.04, 0.15, 0.5)

TORCH_PAIRS = {"two threads": {"OMP_NUM_THREADS": "2"}, "no vector kernels": {"ATEN_CPU_CAPABILITY": "default"},
               "oneDNN for SSE4.1": {"DNNL_MAX_CPU_ISA": "SSE41", "ONEDNN_MAX_CPU_ISA": "SSE41"},
               "MKL_CBWR=AVX2": {"MKL_CBWR": "AVX2"}}


def clean_environment(environment):
    """The settings of a run, and none that this shell happens to have."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("BISECTD_", "STANDIN_", "FLAGS_"))}
    return clean | {"OMP_NUM_THREADS": "1", "FLAGS_use_stride_kernel": "0",
                    "PYTHONPATH": str(ROOT / "configs/presets/python")} | environment


class Recogniser:
    """Runs of examples/paddle of one length and seed."""
    NAME = "rec"
    FAULTS = FAULTS

    def __init__(self, steps, seed):
        self.steps, self.seed = steps, seed

    def file(self, name):
        return KEPT / f"{self.NAME}-{self.steps}-{self.seed}-{re.sub(r'[^A-Za-z0-9.]+', '_', name)}.json"

    def curve(self, name, environment):
        """The file of its losses, trained if need be."""
        file = self.file(name)
        if not file.exists():
            losses = self.train(environment)
            if len(losses) != self.steps:
                raise RuntimeError(f"{name}: {len(losses)} losses of {self.steps}")
            file.write_text(json.dumps(losses))
        return file

    def train(self, environment):
        with tempfile.TemporaryDirectory() as folder:
            options = [f"Global.save_model_dir={folder}", "Global.log_smooth_window=1", "Global.print_batch_step=1",
                       "Global.epoch_num=1", f"Train.dataset.samples={BATCH * self.steps}", f"Global.seed={self.seed}"]
            if "CUSTOM_DEVICE_ROOT" in environment:
                options.append("Global.use_npu=true")
            done = subprocess.run([ROOT / ".venv/bin/python", "train.py", "-c", "rec.yml", "-o", *options],
                                  env=clean_environment(environment), cwd=ROOT / "examples/paddle", capture_output=True, text=True)
        return [float(loss) for loss in re.findall(r"loss: ([-\w.+]+), avg_reader", done.stdout + done.stderr)]


class Transformer(Recogniser):
    """Runs of examples/paddlenlp."""
    NAME = "transformer"
    FAULTS = TRANSFORMER_FAULTS

    def train(self, environment):
        folder = ROOT / "examples/paddlenlp"
        done = subprocess.run([ROOT / ".venv/bin/python", "run_pretrain.py", "pretrain.json", "--max_steps", str(self.steps),
                               "--seed", str(self.seed), "--output_dir", "unused", "--device",
                               "npu" if "CUSTOM_DEVICE_ROOT" in environment else "cpu"],
                              env=clean_environment(environment), cwd=folder, capture_output=True, text=True)
        return [float(loss) for loss in re.findall(r"- loss: ([-\w.+]+),", done.stdout + done.stderr)]


class Segmentation(Recogniser):
    """Runs of examples/paddleseg."""
    NAME = "segmentation"
    FAULTS = SEGMENTATION_FAULTS

    def train(self, environment):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / ".venv/bin/python", "train.py", "--config", "bisenetv2.yml", "--iters", str(self.steps),
                                   "--seed", str(self.seed), "--save_dir", folder, "--device",
                                   "npu" if "CUSTOM_DEVICE_ROOT" in environment else "cpu"],
                                  env=clean_environment(environment), cwd=ROOT / "examples/paddleseg", capture_output=True, text=True)
        return [float(loss) for loss in re.findall(r"\[TRAIN\].*?, loss: ([-\w.+]+),", done.stdout + done.stderr)]


class TorchNet(Recogniser):
    """Runs of torch_cnn.py."""
    NAME = "cnn"

    def train(self, environment):
        done = subprocess.run([PYTHON, ROOT / "tests/bench/torch_cnn.py", str(self.steps), str(self.seed)],
                              env=clean_environment(environment), capture_output=True, text=True)
        return [float(loss) for loss in re.findall(r"loss (\S+)", done.stdout)]


class Zoo(Recogniser):
    """Runs of one world of torch_zoo.py."""

    def __init__(self, world, steps, seed):
        super().__init__(steps, seed)
        self.NAME = world

    def order(self, name, environment):
        """What torch_zoo.py is told to train."""
        return {"world": self.NAME, "steps": self.steps, "seed": self.seed, "environment": environment, "file": str(self.file(name))}

    def train(self, environment):
        return []  # trained with the others, or it failed


def train_zoo(runs, jobs):
    """All that are not kept, in one process."""
    orders = [training.order(name, environment) for training, name, environment in runs
              if isinstance(training, Zoo) and not training.file(name).exists()]
    if orders:
        subprocess.run([ROOT / "examples/torch/build"], check=True)
        subprocess.run([PYTHON, ROOT / "tests/bench/torch_zoo.py", str(jobs)], input=json.dumps(orders), text=True,
                       env=clean_environment({}), stderr=subprocess.DEVNULL, check=True)


def device(make, rounding=None, fault=None):
    """The environment of a stand-in device: who made it, how it rounds, what is wrong with it."""
    planted = {}
    if rounding is not None:
        planted["rounding"] = rounding
    if fault is not None:
        planted["faults"] = [{"op": fault[0], "relative": fault[1]}]
    environment = {"CUSTOM_DEVICE_ROOT": str(STANDIN), "STANDIN_NPU_MAKE": make}
    if planted:
        file = KEPT / (re.sub(r"[^A-Za-z0-9.]+", "_", json.dumps(planted)) + ".faults")
        file.write_text(json.dumps(planted))
        environment["STANDIN_NPU_FAULTS"] = str(file)
    return environment


def ensemble(training, make, environment):
    """The default reference: one run as it is, two perturbed."""
    yield training, f"{make}-plain", environment
    for seed in (1, 2):
        yield training, f"{make}-moved-{seed}", environment | {"BISECTD_PERTURB": str(seed)}


def devices(training):
    for make in ("gpu", "tpu"):
        yield from ensemble(training, make, device(make))
    for size, count in HEALTHY:
        for i in range(count):
            yield training, f"healthy-{size}-{i}", device(f"npu{i}", (FLOAT32 | HALF)[size])
    for label, fault in training.FAULTS.items():
        yield training, f"truth-{label}", device("gpu", fault=fault)
        for size in ("default", "products at 5e-4"):
            yield training, f"faulty-{label}-{size}", device("npu7", (FLOAT32 | HALF)[size], fault)


def doses(training):
    yield from ensemble(training, "gpu", device("gpu"))
    for fault in DOSES:
        label = f"{fault[0]}_{fault[1]:g}"
        yield training, f"truth-{label}", device("gpu", fault=fault)
        for make in ("npu0", "npu1"):
            yield training, f"dose-{label}-{make}", device(make, fault=fault)


def pairs(training):
    yield from ensemble(training, "gpu", {})
    for label, environment in (TORCH_PAIRS if isinstance(training, TorchNet) else PAIRS).items():
        yield training, f"healthy-{label}", environment


def zoo(training):
    for make in ("gpu", "tpu"):
        yield from ensemble(training, make, {"STANDIN_NPU_MAKE": make})
    for settings, count in TORCH_HEALTHY:
        for i in range(count):
            yield training, f"healthy-{settings}-{i}", {"STANDIN_NPU_MAKE": f"npu{i}", "STANDIN_NPU_FAULTS": settings}
    for op in TORCH_FAULTS[training.NAME]:
        for relative in TORCH_RELATIVE:
            label, fault = f"{op}_{relative:g}", f"{op}*{1 + relative:g}"
            yield training, f"truth-{label}", {"STANDIN_NPU_MAKE": "gpu", "STANDIN_NPU_FAULTS": fault}
            yield training, f"dose-{label}", {"STANDIN_NPU_MAKE": "npu3", "STANDIN_NPU_FAULTS": fault}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default="devices")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0, help="0 to 4 were tuned on")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bench", default=str(ROOT / "build/ci/tests/bench_healthy"))
    parser.add_argument("--verbose", action="store_true")
    wanted = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    worlds = {"devices": (Recogniser, devices), "transformer": (Transformer, devices), "segmentation": (Segmentation, devices),
              "dose": (Recogniser, doses), "pairs": (Recogniser, pairs),
              "torch": (TorchNet, pairs)} | {world: (functools.partial(Zoo, world), zoo) for world in TORCH_FAULTS}
    runs = [run for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds) for training, runs_of in map(worlds.get, wanted.worlds.split(","))
            for run in runs_of(training(wanted.steps, 1024 + seed))]

    train_zoo(runs, wanted.jobs)

    def made(run):
        training, name, environment = run
        try:
            training.curve(name, environment)
        except RuntimeError as error:
            print(f"left out: {error}", file=sys.stderr)
        return f"{training.NAME}-{training.steps}-{training.seed}"

    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        trainings = dict.fromkeys(pool.map(made, runs))
    sys.exit(subprocess.run([ROOT / "tests/bench/judged_devices.py", KEPT, "--only", ",".join(trainings), "--bench", wanted.bench,
                             *(["--verbose"] if wanted.verbose else [])]).returncode)


if __name__ == "__main__":
    main()
