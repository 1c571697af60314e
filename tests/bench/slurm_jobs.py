#!/usr/bin/env python3
"""What it costs to be driven through Slurm: a whole search by jobs, beside a bare loop that submits as many of the same.

    BISECTD=... HOSTILE_TRAINER=... tests/bench/slurm_jobs.py [CULPRITS: 16] [SLOTS: 16] [SECONDS: 10]

A private Slurm (examples/slurm/start) with SLOTS processors; each job is a training that sleeps for SECONDS. Both times begin with
the first submission and end when nothing is queued any more. A job's share is the slots' time over the number of jobs; what
bisectd's is longer by is its overhead, the slots that its search leaves empty included. Trainings that bisectd ends early make it
less. Then: is the answer right, was a job submitted twice?
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLURM = ROOT / "examples/slurm"
sys.path.insert(0, str(ROOT / "tests/end_to_end"))
from space import BISECTD, HOSTILE, hostile_experiment

SUSPECTS, STEPS = 256, 100


def write_experiment(folder, culprits, slots, step_ms):
    (folder / "scenario").write_text("".join(f"cause {op}=1\n" for op in culprits))
    text = hostile_experiment("--scenario", folder / "scenario", "--step-ms", step_ms, suspects=SUSPECTS, steps=STEPS, repeats=3,
                              search="search: {engine: ordered, signature_steps: 0}")
    launch = f'launch: {{slurm: {{gres: "npu:{{per_trial}}", max_jobs: {slots}, time: 10m}}}}'
    (folder / "experiment.yaml").write_text(text.replace("devices: {kind: npu, ids: [0]}", "devices: {kind: npu}\n  " + launch))


def queued():
    return subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=True, timeout=60).stdout.strip() != ""


def bare(folder, jobs, step_ms):
    """Seconds that as many jobs take with nobody beside Slurm."""
    began = time.monotonic()
    for _ in range(jobs):
        subprocess.run(["sbatch", "--parsable", "--gres=npu:1", "--output=/dev/null",
                        f"--wrap={HOSTILE} --generate {SUSPECTS} --steps {STEPS} --scenario {folder}/scenario --step-ms {step_ms}"],
                       stdout=subprocess.DEVNULL, check=True, timeout=60)
    while queued():
        time.sleep(0.2)
    return time.monotonic() - began


def main():
    given = [int(word) for word in sys.argv[1:]]
    count, slots, seconds = given + [16, 16, 10][len(given):]
    culprits = [f"op{i}" for i in range(0, SUSPECTS, SUSPECTS // count)][:count]
    step_ms = 1000 * seconds // STEPS
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bisectd-bench-")).resolve()
    cluster = folder / "slurm"
    os.environ["SLURM_CONF"] = str(cluster / "slurm.conf")
    try:
        subprocess.run([SLURM / "start", cluster, str(slots)], check=True, stdout=subprocess.DEVNULL)
        write_experiment(folder, culprits, slots, step_ms)
        began = time.monotonic()
        subprocess.run([BISECTD, "run", "experiment.yaml", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL)
        while queued():
            time.sleep(0.2)
        searched = time.monotonic() - began
        names = re.findall(r" Name=(bisectd-\S+) ", (cluster / "log/jobcomp.log").read_text())
        alone = bare(folder, len(names), step_ms)
        report = json.loads((folder / "bisectd-out/latest/report.json").read_text())
        share = slots / len(names)
        print(f"{len(names)} jobs of {seconds} s on {slots} slots: {searched:.1f} s; bare submissions of as many: {alone:.1f} s")
        print(f"overhead per job (<= 2 s): {(searched - alone) * share:.2f} s of {searched * share:.2f} s")
        found = sorted(culprit["name"] for culprit in report["culprit_set"])
        print(f"answer: {'right' if found == sorted(culprits) else report['outcome']}, jobs submitted twice: {len(names) - len(set(names))}")
    finally:
        subprocess.run([SLURM / "stop", cluster], stdout=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
