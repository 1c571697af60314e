#!/usr/bin/env python3
"""`bisectd compare` with a few plain logs as reference: how many of the healthy curves that healthy_devices.py keeps does it
condemn? The reference's runs differ by the finest rounding alone, and nothing says so.

    BISECTD=... tests/bench/compared_devices.py [--references 1,2,3,4,5] [NAME-STEPS...]        e.g. mlp-300 rec
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile

from healthy_devices import KEPT, ROOT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--references", default="1,2,3,4,5")
    parser.add_argument("trainings", nargs="*", default=[""])
    wanted = parser.parse_args()
    groups = collections.defaultdict(lambda: ({}, []))  # by training, steps and seed: runs of the reference, healthy curves
    for file in sorted(KEPT.glob("*.json")):
        known = re.match(r"([a-z]+-\d+-\d+)-(?:gpu_\d+_(\d)|healthy_.*)\.json$", file.name)
        if known and known[1].startswith(tuple(wanted.trainings)):
            runs, healthy = groups[known[1]]
            if known[2]:
                runs[int(known[2])] = file
            else:
                healthy.append(file)
    with tempfile.TemporaryDirectory() as folder:
        def log(file):
            written = pathlib.Path(folder, file.stem + ".jsonl")
            written.write_text("".join(json.dumps({"step": step, "loss": loss}) + "\n"
                                       for step, loss in enumerate(json.loads(file.read_text()), 1)))
            return written

        for count in map(int, wanted.references.split(",")):
            verdicts = collections.Counter()
            for runs, healthy in groups.values():
                if runs and healthy:
                    done = subprocess.run([os.environ["BISECTD"], "compare", *(log(runs[i]) for i in range(count)), "--json", "--candidates",
                                           *map(log, healthy)], capture_output=True, text=True,
                                          env=os.environ | {"BISECTD_DATA": str(ROOT / "configs")})
                    verdicts.update(row["verdict"] for row in json.loads(done.stdout)["rows"])
            print(f"{count} plain logs as reference: {dict(verdicts)}", flush=True)


if __name__ == "__main__":
    main()
