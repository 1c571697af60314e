#!/usr/bin/env python3
"""`bisectd run` with default options on trainings as odd as they come (torch_zoo.py), on the PyTorch stand-in: who is accused, and rightly?

    odd_worlds.py [--worlds lstm,gan,...] [--seeds 2] [--first-seed 1] [--steps 150] [--fault 0,1.5] [--bisectd FILE]

Per world, seed and fault one run. --fault 0: nothing is wrong; else one operator of the world, drawn by the seed, is wrong by this
factor. Reference and device are stand-ins of different makes.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

from healthy_devices import TORCH_FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
TORCH = ROOT / "examples/torch"


def experiment(folder, world, steps, seed, fault):
    command = json.dumps(["/usr/bin/python3", str(ROOT / "tests/bench/torch_zoo.py"), world, str(steps), str(seed)])
    families = (TORCH / "experiment.yaml").read_text()
    families = families[families.index("families:"):families.index("suspects:")]
    faults = f', STANDIN_NPU_FAULTS: "{fault}"' if fault else ""
    (folder / "experiment.yaml").write_text(f"""\
version: 1
name: {world}
extends: torch-npu
reference: {{command: {command}, environment: {{STANDIN_NPU_MAKE: gpu{seed}}}}}
subject:
  command: {command}
  devices: {{ids: [0, 1], visible_variable: none}}
  environment: {{STANDIN_NPU_MAKE: npu{seed}{faults}}}
metric: {{loss: {{pattern: 'step (?P<step>\\d+) loss (?P<value>\\S+)'}}}}
{families}suspects: {{ops: {{discover: true}}}}
""")


def judged(report, wrong):
    """exact, WRONG where somebody else is accused, or what else came out."""
    named = [culprit["name"] for culprit in report.get("culprit_set") or []]
    if report["outcome"] == "culprits":
        return "exact" if named == [wrong] else "WRONG " + ",".join(named)
    return "exact" if report["outcome"] == "aligned" and not wrong else report["outcome"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default=",".join(TORCH_FAULTS))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--fault", default="0,1.5")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    subprocess.run([TORCH / "build"], check=True)
    counts = {}
    for world in wanted.worlds.split(","):
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds):
            for factor in map(float, wanted.fault.split(",")):
                wrong = random.Random(f"{world} {seed}").choice(TORCH_FAULTS[world]) if factor else None
                began = time.monotonic()
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    experiment(folder, world, wanted.steps, seed, f"{wrong}*{factor:g}" if wrong else None)
                    subprocess.run([wanted.bisectd, "run", "experiment.yaml"], cwd=folder, capture_output=True,
                                   env=os.environ | {"OMP_NUM_THREADS": "1"})
                    report = json.loads((folder / "bisectd-out/latest/report.json").read_text())
                result = judged(report, wrong)
                kind = "healthy" if not wrong else "faulty"
                counts[kind, result.split()[0]] = counts.get((kind, result.split()[0]), 0) + 1
                print(f"{world:11} seed {seed:3} planted {wrong or '-':34} {result:30} trials {report['trials']:3} "
                      f"confidence {report.get('confidence')} {time.monotonic() - began:4.0f} s {report.get('advice', '')[:200]}", flush=True)
    print(counts)


if __name__ == "__main__":
    main()
