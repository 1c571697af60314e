#!/usr/bin/env python3
"""`bisectd run` on trainings as odd as they come (torch_zoo.py), on the PyTorch stand-in: who is accused, and rightly?

    odd_worlds.py [--worlds lstm,gan,...] [--seeds 2] [--first-seed 1] [--steps 150] [--harm 2,12] [--healthy] [--plain] [--bisectd FILE]

Per world and seed one run. One operator of the world is wrong by a factor, both drawn by the seed, so that it does a harm of so many
targets: what it does to the last third of the losses on the reference's own device. --healthy: nothing is wrong. --plain: the
reference is one run, and nothing can be perturbed. Reference and device are stand-ins of different makes, which round. A trial of a
search is at the wrong end if it fails with the wrong operator neutralised, or passes without.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

from healthy_devices import TORCH_FAULTS, TORCH_RELATIVE

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = str(ROOT / "build/torch-npu/bin/python")
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # torch_npu is beside it
TORCH = ROOT / "examples/torch"
TARGET = 0.005
NO_SEARCH = {"reference", "as-is", "discovery"}  # roles


def training(world, steps, seed):
    return [PYTHON, str(ROOT / "tests/bench/torch_zoo.py"), world, str(steps), str(seed)]


def losses(world, steps, seed, faults):
    device = {"STANDIN_NPU_MAKE": f"gpu{seed}", "STANDIN_NPU_FAULTS": faults, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "build/standin-torch")}
    ran = subprocess.run(training(world, steps, seed), env=os.environ | device, capture_output=True, text=True, check=True)
    return [float(line.split()[3]) for line in ran.stdout.splitlines()]


def harm(wrong, right):
    size = sum(map(abs, right)) / len(right)
    last = list(zip(wrong, right))[-(len(right) // 3):]
    return abs(sum((ours - theirs) / max(abs(theirs), 0.1 * size) for ours, theirs in last)) / len(last) / TARGET


def plant(world, steps, seed, bounds):
    """An operator, its fault and its harm; nothing where no fault of the world does such harm with this seed."""
    faults = [(operator, f"{operator}*{1 + relative:g}") for operator in TORCH_FAULTS[world] for relative in TORCH_RELATIVE]
    random.Random(f"{world} {seed}").shuffle(faults)
    right = losses(world, steps, seed, "")
    for operator, fault in faults:
        done = harm(losses(world, steps, seed, fault), right)
        if bounds[0] <= done <= bounds[1]:
            return operator, fault, done
    return None


def experiment(folder, world, steps, seed, fault, plain):
    command = json.dumps(training(world, steps, seed))
    families = (TORCH / "experiment.yaml").read_text()
    families = families[families.index("families:"):families.index("suspects:")]
    (folder / "experiment.yaml").write_text(f"""\
version: 1
name: {world}
extends: torch-npu
{"perturb: none" if plain else ""}
reference: {{command: {command}, environment: {{STANDIN_NPU_MAKE: gpu{seed}}}{", repeats: 1" if plain else ""}}}
subject:
  command: {command}
  devices: {{ids: [0, 1], visible_variable: none}}
  environment: {{STANDIN_NPU_MAKE: npu{seed}, STANDIN_NPU_FAULTS: "{fault}"}}
metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
{families}suspects: {{ops: {{discover: true}}}}
""")


def kernel(operator):
    """The operator in place has the same one."""
    return (operator or "").rstrip("_")


def judged(report, wrong):
    """exact, WRONG where somebody else is accused, or what else came out."""
    named = [kernel(culprit["name"]) for culprit in report.get("culprit_set") or []]
    if report["outcome"] == "culprits":
        return "exact" if named == [kernel(wrong)] else "WRONG " + ",".join(named)
    return "exact" if report["outcome"] == "aligned" and not wrong else report["outcome"]


def ends(report, wrong):
    """Of the trials of the search those that are at the wrong end, and those at either."""
    guilty = {index for index, suspect in enumerate(report["suspects"]) if kernel(suspect["name"]) == kernel(wrong)}
    told = [trial for trial in report["trial_list"] if trial["role"] not in NO_SEARCH and trial["verdict"] in ("pass", "fail")]
    return sum((trial["verdict"] == "pass") != bool(guilty & set(trial["neutralised"])) for trial in told), len(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default=",".join(TORCH_FAULTS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--harm", default="2,12")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    subprocess.run([TORCH / "build"], check=True)
    counts = collections.Counter()
    for world in wanted.worlds.split(","):
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds):
            planted = (None, "", 0) if wanted.healthy else plant(world, wanted.steps, seed, [float(bound) for bound in wanted.harm.split(",")])
            if not planted:
                continue
            wrong, fault, done = planted
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                experiment(folder, world, wanted.steps, seed, fault, wanted.plain)
                subprocess.run([wanted.bisectd, "run", "experiment.yaml"], cwd=folder, capture_output=True,
                               env=os.environ | {"OMP_NUM_THREADS": "1"})
                report = json.loads((folder / "bisectd-out/latest/report.json").read_text())
            result = judged(report, wrong)
            at_wrong_end, told = ends(report, wrong) if wrong else (0, 0)
            searched = any(trial["role"] in ("search", "signature", "proof") for trial in report["trial_list"])
            counts.update(["nights", result.split()[0], *["searched"] * searched])
            counts["trials"] += told
            counts["trials at the wrong end"] += at_wrong_end
            print(f"{world:11} seed {seed:3} planted {fault or '-':34} harm {done:5.1f} {result:30} trials {report['trials']:3} at the wrong end "
                  f"{at_wrong_end} of {told} confidence {report.get('confidence')} {time.monotonic() - began:4.0f} s {report.get('advice', '')[:160]}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
