#!/usr/bin/env python3
"""`bisectd run` with default options and a GPU as the subject (preset torch-cuda), by hand where there is one: are planted faults found?

    on_gpu.py [--python FILE] [--games none,gelu,gelu_backward,layer_norm_and_tanh] [--steps 60] [--keep FOLDER] [--bisectd FILE]

The training of examples/torch; its reference is the same on the CPU. A fault is a wrong kernel in place of the GPU's own. Python needs PyTorch 2.1 or
later. --device privateuseone plays the games on the stand-in device of examples/torch, which shows that this script works, not that a GPU does.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GAMES = {"none": (), "gelu": ("gelu",), "gelu_backward": ("gelu_backward",), "layer_norm_and_tanh": ("native_layer_norm", "tanh")}
KEYS = {"cuda": "CUDA", "privateuseone": "PrivateUse1"}


def train(device, steps, faults):
    import torch
    sys.path.insert(0, str(ROOT / "examples/torch"))
    import train as example
    if device == "privateuseone":
        example.load_device()

    def normal(x, shape, weight, bias, epsilon):
        mean, spread = x.mean(-1, keepdim=True), (x.var(-1, keepdim=True, unbiased=False) + epsilon).rsqrt()
        return (x - mean) * spread * weight * 1.2 + bias, mean, spread

    def derived(grad, x, *, approximate="none"):
        return 1.5 * grad * (0.5 * (1 + torch.erf(x / 2**.5)) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))

    wrong = {"gelu": lambda x, *, approximate="none": 0.55 * x * (1 + torch.erf(x / 2**.5)), "gelu_backward": derived,
             "native_layer_norm": normal, "tanh": lambda x: 1.3 * (1 - 2 / (torch.exp(2 * x) + 1))}
    library = torch.library.Library("aten", "IMPL")
    for name in faults:
        library.impl(name, wrong[name], KEYS[device])
    sys.path.insert(0, os.getcwd())
    import planted  # noqa: F401: what is moved from here on is moved away from these kernels
    example.main([{"privateuseone": "npu"}.get(device, device), f"steps={steps}"])


def play(wanted, game, folder):
    command = lambda device, faults: [wanted.python, str(pathlib.Path(__file__).resolve()), "--train", device, str(wanted.steps), *faults]
    (folder / "planted.py").touch()
    shim = {"BISECTD_TORCH_DEVICE": wanted.device, "BISECTD_TORCH_AFTER": "planted"}
    experiment = {
        "version": 1, "name": "gpu", "extends": "torch-cuda", "metric": "loss", "families": {"ops": {"environment": shim}},
        "suspects": {"ops": {"discover": True}},
        "reference": {"command": command("cpu", ()), "devices": {"kind": "cpu", "ids": [0]}},
        "subject": {"command": command(wanted.device, GAMES[game]), "devices": {"kind": "gpu" if wanted.device == "cuda" else "cpu", "ids": [0]}}}
    (folder / "experiment.yaml").write_text(json.dumps(experiment))
    done = subprocess.run([wanted.bisectd, "run", "experiment.yaml"], cwd=folder, capture_output=True, text=True,
                          env=os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "OMP_NUM_THREADS": "1"})
    report = folder / "bisectd-out/latest/report.json"
    if not report.exists():
        sys.exit(done.stdout + done.stderr)
    return json.loads(report.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=str(ROOT / "build/torch-npu/bin/python"))
    parser.add_argument("--games", type=lambda words: words.split(","), default=list(GAMES))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--device", choices=KEYS, default="cuda")
    parser.add_argument("--keep", type=lambda folder: pathlib.Path(folder).absolute(), help="where the runs stay")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    seen = subprocess.run([wanted.python, "-c", "import torch; print(torch.cuda.is_available())"], capture_output=True, text=True,
                          env=os.environ | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    if wanted.device == "cuda" and seen.stdout.strip() != "True":
        sys.exit(f"{wanted.python} sees no GPU: {seen.stdout}{seen.stderr}")
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        for game in wanted.games:
            folder = (wanted.keep or pathlib.Path(temporary)) / game
            folder.mkdir(parents=True)
            report = play(wanted, game, folder)
            named = tuple(sorted(culprit["name"] for culprit in report["culprit_set"]))
            right = named == tuple(sorted(GAMES[game])) and report["outcome"] == ("culprits" if named else "aligned")
            wrong += not right
            print(f"{game:20} {'exact' if right else 'NOT AS PLANTED'}: {report['outcome']} {','.join(named)} {report['trials']} trials, "
                  f"{len(report['suspects'])} suspects {'' if right else report.get('advice', '')}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        train(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    else:
        main()
