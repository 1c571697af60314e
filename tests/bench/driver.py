"""Measures the driver through the real command line and prints a table beside the targets.

    BISECTD=... HOSTILE_TRAINER=... BARE_LOOP=... LONGER_JOURNAL=... tests/bench/driver.py [TRIALS] [EVIDENCES]

1. Overhead per trial: TRIALS (1000) trials in five searches (256 suspects, every eighth guilty) of a training of a few
   milliseconds, against a bare fork/exec/wait loop of the same command in the same run, three times in turn; the median.
2. Resume: a finished run whose journal was made longer by EVIDENCES (10000) trials is resumed; all of it is replayed.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "end_to_end"))
from space import HOSTILE, hostile_experiment

BISECTD, BARE, LONGER = (os.environ[name] for name in ("BISECTD", "BARE_LOOP", "LONGER_JOURNAL"))


def guilty(folder, count, every):
    """A scenario in which every `every`-th suspect is a culprit."""
    path = folder / f"scenario-{count}"
    path.write_text("".join(f"cause op{i}=1\n" for i in range(0, count, every)))
    return path


def run(folder, suspects, every, trials, out):
    options = ("--scenario", guilty(folder, suspects, every))
    (folder / "experiment.yaml").write_text(hostile_experiment(
        *options, suspects=suspects, search=f"search: {{engine: ordered, budget: {{trials: {trials}}}}}"))
    began = time.monotonic()
    subprocess.run([BISECTD, "run", "experiment.yaml", "--quiet", "--out", out], cwd=folder, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def lines(folder, out, kind):
    return (folder / out / "latest/journal.jsonl").read_text().count(f'"kind":"{kind}"')


def row(what, target, measured):
    print(f"{what:<58} {target:>12} {measured:>12}")


def main():
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    evidences = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        suspects, searches = 256, 5
        command = [HOSTILE, "--generate", str(suspects), "--steps", "100", "--scenario", str(guilty(folder, suspects, 8))]
        overheads, bare_ms = [], []
        for turn in range(3):
            outs = [f"out{turn}-{search}" for search in range(searches)]
            took = sum(run(folder, suspects, 8, trials // searches, out) for out in outs)
            launches = sum(lines(folder, out, "attempt-started") for out in outs)
            bare = float(subprocess.run([BARE, str(launches), str(folder / "output"), *command],
                                        capture_output=True, text=True, check=True).stdout)
            overheads.append((took - bare) / launches * 1000)
            bare_ms.append(bare / launches * 1000)
        row(f"driver overhead per trial, {launches} launches, median of 3", "<= 5 ms", f"{statistics.median(overheads):.2f} ms")
        row("  (the training alone, bare loop)", "", f"{statistics.median(bare_ms):.2f} ms")

        (folder / "experiment.yaml").write_text(hostile_experiment("--cause", "op7=3", suspects=suspects))
        subprocess.run([BISECTD, "run", "experiment.yaml", "-q", "--out", "long"], cwd=folder, stdout=subprocess.DEVNULL)
        culprit = sorted(f"op{i}" for i in range(suspects)).index("op7")
        subprocess.run([LONGER, "long/latest", str(evidences), str(culprit)], cwd=folder, check=True)
        began = time.monotonic()
        subprocess.run([BISECTD, "resume", "long/latest", "-q"], cwd=folder, stdout=subprocess.DEVNULL)
        row(f"resume of a journal with {lines(folder, 'long', 'judged')} evidences", "<= 1 s", f"{time.monotonic() - began:.2f} s")


if __name__ == "__main__":
    main()
