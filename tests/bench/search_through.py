"""The figures of the search through the real command line: culprits planted into the stand-in training of a few
milliseconds, found by `bisectd run`, so that the loop and not only the engine is measured.

    BISECTD=... HOSTILE_TRAINER=... tests/bench/search_through.py [--n 1024] [--games 5] [--seed 1] [SCENARIO...]

Trials are those of the search and of its proof, without the references and both ends. Rounds are the longest chain of
such trials of which each began after the one before had ended: devices are given a new trial as soon as they are free.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "end_to_end"))
from space import BISECTD, hostile_experiment

ENDS = ("reference", "as-is", "discovery", "everything", "other-fix", "control")

V = "signature_steps: 0, "  # by verdicts alone
SIGNED = ("--signed", "12")
# name: (sizes of the causes, devices, options of the trainer, keys of `search`, target)
SCENARIOS = {
    "one": ((1,), 1, (), V, lambda n: bits(n, 1) + 1.3 + 1),  # and one trial that names its cause
    "three": ((1, 1, 1), 1, (), V, lambda n: bits(n, 3) + 3.9 + 3),
    "pair": ((2,), 1, (), V, lambda n: 23),
    "single+pair": ((1, 2), 1, (), V, lambda n: 35),
    "one, 8 devices": ((1,), 8, (), V, lambda n: 2.8),
    "three, 8 devices": ((1, 1, 1), 8, (), V, lambda n: 6.3),
    "pair, 8 devices": ((2,), 8, (), V, lambda n: 4.4),
    "single+pair, 8 devices": ((1, 2), 8, (), V, lambda n: 6.3),
    "three, 10 % crash": ((1, 1, 1), 1, ("--crash-percent", "10"), V, lambda n: 34 / 0.9),
    "one, signed": ((1,), 1, SIGNED, "", lambda n: 12.5),
    "three, signed": ((1, 1, 1), 1, SIGNED, "", lambda n: 17),
    "five, signed": ((1, 1, 1, 1, 1), 1, SIGNED, "", lambda n: 19),
    "pair, signed": ((2,), 1, SIGNED, "", lambda n: 22.5),
    "single+pair, signed": ((1, 2), 1, SIGNED, "", lambda n: 25),
    "five of mixed signs, signed": ((1, 1, 1, 1, 1), 1, SIGNED, "", lambda n: 32),
    "three, 8 devices, signed": ((1, 1, 1), 8, SIGNED, "", lambda n: 3.5),
}


def bits(n, k):
    return math.ceil(math.log2(math.comb(n, k)) - 1e-9)


def play(folder, n, seed, sizes, devices, options, search, mixed=False):
    draw = random.Random(seed)
    guilty = draw.sample(range(n), sum(sizes))
    causes, words = [], list(options)
    for size in sizes:
        members, guilty = guilty[:size], guilty[size:]
        causes.append(sorted(f"op{i}" for i in members))
        sign = draw.choice((-1, 1)) if mixed else 1
        percent = sign * 2 * math.exp(draw.gauss(0, 0.5))
        words += ["--cause", "+".join(causes[-1]) + f"={percent:.3f}"]
    (folder / "experiment.yaml").write_text(hostile_experiment(
        *words, "--step-ms", "0.2" if devices == 1 else "2", suspects=n, devices=list(range(devices)), search=f"search: {{{search}seed: {seed}}}"))
    # Longer trials where several run at once: beside milliseconds the time to choose the next one would count.
    subprocess.run([BISECTD, "run", "experiment.yaml", "--quiet", "--new"], cwd=folder, stdout=subprocess.DEVNULL)
    run = folder / "bisectd-out/latest"
    report = json.loads((run / "report.json").read_text())
    found = sorted(sorted(member["name"] for member in cause) for cause in report["causes"])
    records = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    searched = {record["trial"] for record in records if record["kind"] == "trial" and record["role"] not in ENDS}
    ended = sorted((record["started_s"], record["started_s"] + record["duration_s"]) for record in records
                   if record["kind"] == "attempt-ended" and record["trial"] in searched)
    return len(searched) if devices == 1 else longest_chain(ended), found == sorted(causes)


def longest_chain(intervals):
    """How many of the intervals, in the order of their starts, can follow one another."""
    chains = []  # (end of the last one, length)
    for start, end in intervals:
        chains.append((end, 1 + max((length for ended, length in chains if ended <= start), default=0)))
    return max((length for _, length in chains), default=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", nargs="*", help="all of them without one: " + "; ".join(SCENARIOS))
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    print(f"{'':<26}{'target':>8}{'measured':>10}{'right':>7}")
    for name, (sizes, devices, options, search, target) in SCENARIOS.items():
        if wanted.scenario and name not in wanted.scenario:
            continue
        games = []
        for i in range(wanted.games):
            with tempfile.TemporaryDirectory() as folder:  # one each: else the history would change the odds
                games.append(play(pathlib.Path(folder), wanted.n, wanted.seed + i, sizes, devices, options, search, mixed="mixed signs" in name))
        measured = sum(price for price, _ in games) / len(games)
        right = sum(exact for _, exact in games) / len(games)
        reached = "" if measured <= target(wanted.n) and right == 1 else "  MISS"
        print(f"{name:<26}{target(wanted.n):>8.1f}{measured:>10.2f}{right:>7.0%}{reached}", flush=True)


if __name__ == "__main__":
    main()
