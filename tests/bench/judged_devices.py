#!/usr/bin/env python3
"""Healthy devices and faulty ones, judged: both errors in one table.

    judged_devices.py FOLDER [--bench build/ci/tests/bench_healthy] [--verbose] [--logs every,mean,tenth,digits4] [--references one,three,plain]
                      [--only NAME,...]

FOLDER holds what healthy_devices.py keeps (build/bench/healthy) or what worlds/generate.py writes, or both. Per kind of log: every step,
running means of 20 steps, every second, third, fifth or tenth step, so many decimals (digits2), the first so many steps (first12, without the worlds' faults). Per reference: one plain log; one and two moved by a thousandth; three
plain ones (of worlds only). Harm: what the fault does on the reference's own device, mean difference of the last third, in targets of 0.5 %."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TARGET = 0.005
WHOLE = False  # --whole: harm on the way counts, too


def harm(curve, reference):
    """Mean difference of the last third, or the largest of any stretch that is at least so long, in targets."""
    n = len(reference)
    size, sums = sum(map(abs, reference)) / n, [0.0]
    for a, b in zip(curve, reference):
        sums.append(sums[-1] + (a - b) / max(abs(b), 0.1 * size))
    if not WHOLE:
        return abs(sums[n] - sums[n - n // 3]) / (n // 3) / TARGET
    every = max(1, n // 50)
    return max(abs(sums[j] - sums[i]) / (j - i) for i in range(0, n, every) for j in range(i + n // 3, n + 1, every)) / TARGET


def log(loss, kind):
    """What a log of this kind prints: steps and values."""
    steps = range(1, len(loss) + 1)
    if kind == "mean":
        return list(steps), [sum(loss[max(0, t - 20):t]) / min(t, 20) for t in steps]
    if every := {"second": 2, "third": 3, "fifth": 5, "tenth": 10}.get(kind):
        return list(steps)[every - 1::every], loss[every - 1::every]
    if kind.startswith("first"):
        return list(steps)[:int(kind[5:])], loss[:int(kind[5:])]
    if kind.startswith("digits"):
        return list(steps), [round(v, int(kind[6:])) for v in loss]
    return list(steps), loss


def bucket(harm):
    for limit, name in ((0.25, "harm    < 1/4"), (1, "harm 1/4 to 1"), (2, "harm   1 to 2"), (8, "harm   2 to 8")):
        if harm < limit:
            return name
    return "harm     > 8"


def kept_by_worlds(file):
    data = json.loads(file.read_text())
    plain, moved = data["references"], data["coarse"]
    for one in data["healthy"]:
        eps = "to 1e-4" if one["eps"] <= 1e-4 else "5e-4"
        yield file.stem, plain, moved, "other order or masks" if one.get("other") else f"healthy {eps}", 0.0, one["loss"]
    limit = max(abs(harm(one["loss"], plain[0])) for one in data["healthy"] if not one.get("other"))
    for one in data["faulty"]:
        # Harm that healthy devices reach as well is hidden in chaos, and belongs to no row.
        size = abs(one["harm"])
        hidden = size >= 0.25 and size < 3 * limit
        yield file.stem, plain, moved, ("hidden in chaos" if hidden else bucket(size)), None if hidden else size, one["loss"]


def rows_of(folder, logs, references):
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(file.read_text())
        except ValueError:
            continue
        if isinstance(data, dict) and "world" in data:
            yield from made(kept_by_worlds(file), logs, references)
    groups = collections.defaultdict(dict)  # training, steps and seed -> what -> losses
    for file in sorted(folder.glob("*.json")):
        if known := re.match(r"([a-z]+-\d+-\d+)-((?:gpu|tpu|healthy|truth|dose|faulty).*)$", file.stem):
            groups[known[1]][known[2]] = json.loads(file.read_text())
    for training, files in groups.items():
        yield from made(kept_by_devices(training, files), logs, references)


def kept_by_devices(training, files):
    for make in ("gpu", "tpu"):
        if f"{make}_plain" not in files:
            continue
        plain, moved = [files[f"{make}_plain"]], [files[name] for seed in (1, 2) if (name := f"{make}_moved_{seed}") in files]
        for what, losses in files.items():
            if what.startswith("healthy"):
                coarse = "5e_4" in what or "5e-4" in what
                yield training, plain, moved, "healthy 5e-4" if coarse else "healthy to 1e-4", 0.0, losses
            elif m := re.match(r"(dose|faulty)_(.+)$", what):
                truth = next((t for w, t in files.items() if w.startswith("truth_") and m[2].startswith(w[6:])), None)
                gpu = files.get("gpu_plain")
                if truth and gpu:
                    yield training, plain, moved, None, (truth, gpu), losses


def made(curves, logs, references):
    for training, plain, moved, kind, size, loss in curves:
        for how in logs:
            if kind is None:  # a fault, by what it does on the reference's own device in as much as the log shows
                cut = len(log(size[0], how)[1]) if how.startswith("first") else None
                harmed = harm(size[0][:cut], size[1][:cut])
            elif how.startswith("first") and not kind.startswith(("healthy", "other")):
                continue
            else:
                harmed = size
            for which in references:
                runs = {"one": plain[:1], "three": plain[:1] + moved, "plain": plain[:3]}[which]
                perturbed = [place if which == "three" else 0 for place in range(len(runs))]
                steps, values = log(loss, how)
                row = {"training": training, "kind": f"{how:5} {which:5} {kind or bucket(harmed)}", "steps": steps, "loss": values,
                       "references": [log(run, how)[1] for run in runs], "perturbed": perturbed}
                if harmed is not None:
                    row["harm"] = harmed
                yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bench", default="build/ci/tests/bench_healthy")
    parser.add_argument("--logs", default="every")
    parser.add_argument("--references", default="one,three")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--whole", action="store_true", help="harm is the largest of any third, not that of the last one")
    wanted = parser.parse_args()
    global WHOLE
    WHOLE = wanted.whole
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for row in rows_of(wanted.folder, wanted.logs.split(","), wanted.references.split(",")):
            if row["training"].startswith(tuple(wanted.only.split(","))):
                file.write(json.dumps(row) + "\n")
        file.flush()
        sys.exit(subprocess.run([wanted.bench, file.name, *(["verbose"] if wanted.verbose else [])]).returncode)


if __name__ == "__main__":
    main()
