#!/usr/bin/env python3
"""Whole searches under run-to-run noise, counted: right, wrong, inconclusive. Wrong is what must not be.

Each search has a planted culprit of 2 % among the suspects and a run-to-run noise of 0.2 %, another seed and another
place for the culprit. With the stand-in training (milliseconds a run):
    tests/bench/noisy_searches.py [N]
With real Paddle on the stand-in NPU (seconds a run):
    tests/bench/noisy_searches.py --paddle N
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BISECTD = os.path.abspath(os.environ.get("BISECTD", ROOT / "build/ci/driver/bisectd"))
HOSTILE = os.path.abspath(os.environ.get("HOSTILE_TRAINER", ROOT / "build/ci/tests/hostile_trainer"))
TARGET_PERCENT = 99


def hostile(number, options, folder):
    """An experiment, and the culprit it plants."""
    culprit = f"op{number * 7919 % options.suspects}"
    words = ["--generate", str(options.suspects), "--steps", str(options.steps)]
    noise = ["--noise", str(options.noise), "--step-noise", str(options.step_noise)]
    crashes = ["--crash-percent", str(options.crash)] if options.crash else []
    seed = [] if options.exact_reference else [*noise, "--seed", str(1000 * number + options.seed)]
    subject = [HOSTILE, *words, *noise, "--seed", str(1000 * number + options.seed + 500), "--cause", f"{culprit}={options.effect}", *crashes]
    members = ", ".join(f"op{i}" for i in range(options.suspects))
    return culprit, f"""\
version: 1
name: noisy
reference:
  command: {json.dumps([HOSTILE, *words, *seed])}
  repeats: {options.references}
subject:
  command: {json.dumps(subject)}
  devices: {{kind: npu, ids: {list(range(options.devices))}}}
metric: {{loss: {{format: paddleocr}}}}
families:
  ops: {{kind: list, deliver: {{environment: HOSTILE_OFF, separator: ","}}}}
suspects:
  ops: [{members}]
search: {{budget: {{trials: 300}}, seed: {number + 1}}}
"""


BYSTANDERS = """adam conv2d conv2d_grad depthwise_conv2d depthwise_conv2d_grad elementwise_add elementwise_add_grad gelu
gelu_grad hard_sigmoid hard_sigmoid_grad hard_swish_grad layer_norm layer_norm_grad matmul_v2 matmul_v2_grad pool2d
pool2d_grad reduce_mean relu relu_grad rnn rnn_grad transpose2 transpose2_grad warpctc warpctc_grad""".split()


def paddle(number, options, folder):
    """Errors of about 2 % of the last loss, and run-to-run noise of about 0.2 % on both sides, which are both on the
    stand-in, of two makes; see examples/paddle/README.md."""
    culprit, error = [("hard_swish", -0.12), ("batch_norm_grad", 0.25)][number % 2]
    shuffle = random.Random(number)
    ops = shuffle.sample(BYSTANDERS, min(options.suspects, len(BYSTANDERS)) - 1) + [culprit]
    shuffle.shuffle(ops)
    example = ROOT / "examples/paddle"
    noise = {"relative": options.noise / 42, "ops": ["conv2d", "matmul_v2"]}
    (folder / "noise.json").write_text(json.dumps({"noise": noise}))
    (folder / "faults.json").write_text(json.dumps({"faults": [{"op": culprit, "relative": error}], "noise": noise}))
    command = [str(ROOT / ".venv/bin/python"), "train.py", "-c", "rec.yml", "-o", "Global.log_smooth_window=1",
               "Global.print_batch_step=1", "Global.save_model_dir={attempt}/output", "Global.use_npu=true"]
    device = f'CUSTOM_DEVICE_ROOT: "{ROOT / "build/standin-npu"}"'
    return culprit, f"""\
version: 1
name: noisy
extends: paddle-npu
reference:
  command: {json.dumps(command)}
  directory: "{example}"
  environment: {{{device}, STANDIN_NPU_MAKE: gpu, STANDIN_NPU_FAULTS: "{folder / 'noise.json'}"}}
  repeats: {options.references}
subject:
  command: {json.dumps(command)}
  directory: "{example}"
  devices: {{kind: npu, ids: {list(range(options.devices))}}}
  environment: {{{device}, STANDIN_NPU_FAULTS: "{folder / 'faults.json'}"}}
metric: {{loss: {{format: paddleocr}}}}
suspects: {{ops: [{", ".join(ops)}]}}
search: {{seed: {number + 1}, budget: {{trials: 200}}}}
"""


def search(make, number, options):
    """right, wrong, inconclusive or the exit code; trials; attempts"""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="noisy-"))
    try:
        culprit, text = make(number, options, folder)
        (folder / "experiment.yaml").write_text(text)
        environment = {**os.environ, "BISECTD_DATA": str(ROOT / "configs")}
        done = subprocess.run([BISECTD, "run", "experiment.yaml", "--quiet"], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode not in (0, 1, 3):
            return f"exit {done.returncode}", 0, 0, done.stderr.decode()[-300:]
        report = json.loads((folder / "bisectd-out/latest/report.json").read_text())
        found = [name["name"] for name in report["culprit_set"]]
        counts = report["trials"], report["attempts"]
        if report["outcome"] == "culprits":
            return ("right" if found == [culprit] else "wrong"), *counts, f"{culprit}: found {found}"
        if report["outcome"] in ("aligned", "outside_suspects"):
            return "wrong", *counts, f"{culprit}: {report['outcome']}"
        return "inconclusive", *counts, f"{culprit}: {report.get('advice', '')[:200]}"
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("searches", nargs="?", type=int, default=1000)
    parser.add_argument("--paddle", type=int, metavar="N", help="N searches on real Paddle instead")
    for name, default in (("suspects", 24), ("steps", 400), ("references", 5), ("devices", 1), ("seed", 1), ("jobs", 1),
                          ("first", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in (("noise", 0.2), ("step-noise", 0.3), ("effect", 2.0), ("crash", 0.0)):
        parser.add_argument(f"--{name}", type=float, default=default, help="percent")
    parser.add_argument("--exact-reference", action="store_true", help="the trusted side repeats itself bit for bit")
    parser.add_argument("--keep", action="store_true", help="keep the run directories")
    options = parser.parse_args()
    make, count = (paddle, options.paddle) if options.paddle else (hostile, options.searches)
    results, trials, attempts, began = collections.Counter(), 0, 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (what, t, a, detail) in enumerate(pool.map(lambda n: search(make, n, options), range(options.first, options.first + count))):
            results[what] += 1
            trials, attempts = trials + t, attempts + a
            if what != "right":
                print(f"search {options.first + number}: {what}; {detail}", flush=True)
            if (number + 1) % (5 if options.paddle else 100) == 0:
                print(f"{number + 1}: {dict(results)}", flush=True)
    right = 100 * results["right"] / max(1, count)
    print(f"{count} searches, noise {options.noise} %, culprit {options.effect} %, {options.suspects} suspects: "
          f"{dict(results)}; {trials / max(1, count):.1f} trials and {attempts / max(1, count):.1f} attempts each, "
          f"{time.monotonic() - began:.0f} s")
    print(f"right {right:.1f} % (target {TARGET_PERCENT} %), wrong {results['wrong']} (target: none)")
    return right < TARGET_PERCENT or results["wrong"] > 0


if __name__ == "__main__":
    sys.exit(main())
