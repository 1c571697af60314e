#!/usr/bin/env python3
"""shuffled_logs.py [COUNT] [FIRST_SEED] [--bench build/ci/tests/bench_learning]: logs of random layouts whose values and steps are known, and how
many of them are read right, refused, or read wrongly. A log that holds two readings that nothing tells apart is to be refused."""
import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import tempfile

NOISE = ["loading {n} files", "Saving model checkpoint to ./out/checkpoint-{n}", "2024-01-02 10:00:0{d} INFO worker ready", "GPU memory: {n} MB", ""]


class Log:
    """One log: `text`, and either `points` [(step, text of the value)] or `refuse`."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.text, self.points, self.refuse = "", [], False
        self.epochs, self.per_epoch = r.choice([1, 1, 2, 3]), r.choice([20, 30, 47])
        self.digits = r.choice([3, 4, 6])
        self.name = r.choice(["loss", "Loss", "train_loss", "total_loss", "lm loss", "损失", "CELoss", "loss_step"])
        self.first = r.choice([0, 1, 1])
        self.stride = r.choice([1, 1, 10])
        self.bad = r.choice([None] * 4 + ["nan", "NaN", "inf", "nanxxx"])
        self.colour = r.random() < 0.15
        style = r.choice(["words", "words", "words", "json", "dict", "csv", "bar", "bar_elsewhere"])
        getattr(self, style)()

    def values(self):
        total = self.epochs * self.per_epoch
        level = self.r.choice([0.3, 3, 40])
        for i in range(total):
            value = level * (1 + 2 * math.exp(-3 * i / total)) * (1 + 0.05 * self.r.gauss(0, 1))
            bad = self.bad if self.bad and i > 0.7 * total else None
            epoch, within = divmod(i, self.per_epoch)
            yield epoch, within, i, bad or f"{value:.{self.digits}f}"

    def add(self, line, end="\n"):
        self.text += (f"\x1b[32m{line}\x1b[0m" if self.colour else line) + end
        if self.r.random() < 0.03:
            self.text += self.r.choice(NOISE).format(n=self.r.randrange(10, 9999), d=self.r.randrange(10)) + "\n"

    def validation(self, epoch):
        style = self.r.choice(["", "", "Validation: loss {v}", "epoch {e} val_loss: {v} val_acc: 0.5", "[Eval] step {e} loss: {v}"])
        if style:
            self.text += style.format(e=epoch, v=f"{self.r.uniform(1, 9):.{self.digits}f}") + "\n"

    def words(self):
        r = self.r
        sep, between = r.choice([": ", "=", " ", ": "]), r.choice([", ", " | ", " - ", "  "])
        again = self.epochs > 1 and r.random() < 0.6
        front = r.choice(["", "[2024-05-06 10:11:12,123] [INFO] ", "INFO:trainer:", "2024/05/06 10:11:12 train.py:33 "])
        of = r.choice(["", f"/{self.per_epoch if again else self.per_epoch * self.epochs * self.stride}"])
        step_name = r.choice(["step", "iter", "Iteration", "global_step" if not again else "batch"])
        others = [f"lr{sep}0.001", f"grad_norm{sep}1.25", f"acc{sep}0.5000", f"batch_cost{sep}0.25 s", f"ips{sep}154.3 samples/s"]
        r.shuffle(others)
        others = others[:r.randrange(4)]
        ranks = r.choice([0, 0, 0, 2, 4])
        labelled = r.random() < 0.7
        mean = r.random() < 0.2
        turned = not again and sep != " " and r.random() < 0.3
        total = 0
        for epoch, within, i, value in self.values():
            count = within + self.first if again else (i + self.first) * self.stride
            fields = [f"{step_name}{sep}{count}{of}", f"{self.name}{sep}{value}" + (f" ({total / max(i, 1) + 1:.{self.digits}f})" if mean else ""), *others]
            total += float(value) if value[0].isdigit() else 0
            if again:
                fields.insert(0, f"epoch{sep}{epoch}")
            order = fields[::-1] if turned else fields
            self.points.append((count if not again else i, value))
            for rank in range(ranks or 1):
                shown = between.join(order)
                if rank:  # another value of the same step
                    shown = shown.replace(value, value if self.bad == value else f"{float(value) * (1 + 0.1 * rank):.{self.digits}f}" if value[0].isdigit() else value, 1)
                self.add(front + (f"[rank{rank}] " if ranks and labelled else "") + shown)
            if within == self.per_epoch - 1:
                self.validation(epoch)
        self.refuse = ranks > 0 and not labelled

    def json(self):
        name = self.name.replace(" ", "_")
        nested = self.r.random() < 0.2
        for _, _, i, value in self.values():
            number = {"nan": "NaN", "inf": "Infinity", "nanxxx": "NaN"}.get(value, value)
            step = (i + self.first) * self.stride
            self.points.append((step, value))
            body = f'"step": {step}, "{name}": {number}, "lr": 0.001'
            self.add('{"train": {' + body + "}}" if nested else "{" + body + "}")

    def dict(self):
        for _, _, i, value in self.values():
            step = (i + self.first) * self.stride
            self.points.append((step, value))
            self.add("{" + f"'{self.name}': {value}, 'learning_rate': 1e-05, 'global_step': {step}" + "}")

    def csv(self):
        self.colour = False
        mark = self.r.choice([",", ";", "\t"])
        name = self.name.replace("损失", "loss")
        self.text += mark.join(["step", name, "lr"]) + "\n"
        for _, _, i, value in self.values():
            step = (i + self.first) * self.stride
            self.points.append((step, value))
            self.text += mark.join([str(step), value, "0.001"]) + "\n"

    def bar(self):
        self.colour = False
        total, refresh = self.epochs * self.per_epoch, self.r.choice([1, 1, 2, 3])
        label = self.r.choice(["", "Steps: ", "Training: "])
        for _, _, i, value in self.values():
            self.points.append((i + 1, value))
            for _ in range(refresh):
                self.text += f"\r{label}{100 * i // total:3}%|{'#' * (10 * i // total):10}| {i + 1}/{total} [00:{i % 60:02}<01:00, {self.r.uniform(1, 9):.2f}it/s, {self.name}={value}]"
        self.text += "\n"

    def bar_elsewhere(self):
        self.colour = False
        total, every = self.epochs * self.per_epoch, self.r.choice([1, 5])
        for _, _, i, value in self.values():
            for more in range(every):
                at = i * every + more + 1
                self.text += f"\r{100 * at // (total * every):3}%|{'█' * (10 * at // (total * every)):10}| {at}/{total * every} [00:01<01:00, 7.95s/it]"
            self.points.append(((i + 1) * every, value))
            self.text += "\r" + " " * 60 + f"\r{{'{self.name}': {value}, 'grad_norm': 1.27, 'epoch': {i / total:.2f}}}\n"


def number(text):
    return float(text.replace("x", ""))


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def outcome(log, found):
    if "points" not in found:
        return "rightly refused" if log.refuse else "refused"
    points = found["points"]
    right = len(points) == len(log.points) and all(same(number(text), float(value)) for (_, text), (_, value) in zip(log.points, points))
    steps = [step for step, _ in points]
    apart = all(b - a == d - c for (a, _), (b, _), c, d in zip(log.points, log.points[1:], steps, steps[1:])) if right else False
    return "right" if right and not log.refuse and (apart or found["counted"]) else "WRONG"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=2000)
    parser.add_argument("first_seed", nargs="?", type=int, default=1)
    parser.add_argument("--bench", default="build/ci/tests/bench_learning")
    options = parser.parse_args()
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for begin in range(options.first_seed, options.first_seed + options.count, 500):
            logs = {}
            for seed in range(begin, min(begin + 500, options.first_seed + options.count)):
                path = pathlib.Path(folder) / f"{seed}.log"
                logs[str(path)] = log = Log(seed)
                path.write_bytes(log.text.encode())
            done = subprocess.run([options.bench, *logs], capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                found = json.loads(line)
                came = outcome(logs[found["file"]], found)
                tally[came] += 1
                if came in ("WRONG", "refused"):
                    print(came, pathlib.Path(found["file"]).stem, found.get("said") or found.get("refused"))
            for path in logs:
                pathlib.Path(path).unlink()
    print(", ".join(f"{count} {what}" for what, count in sorted(tally.items())))
    return 1 if tally["WRONG"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
