"""Trains a small transformer the way a script with PaddleNLP's Trainer does.

    python run_pretrain.py pretrain.json --device npu --max_steps 60 --output_dir output

The options, the JSON file of options and the log lines are PaddleNLP's (its TrainingArguments and Trainer); the text is drawn from
the seed, so that nothing has to be downloaded. See examples/paddle/README.md for the device of type npu.
"""
import os

# Before numpy and Paddle: more threads than this only disturb the neighbours in such a small network.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import contextlib
import json
import logging
import random
import sys
import time

import numpy
import paddle

from transformer import Transformer

log = logging.getLogger("paddlenlp")


def truth(text):
    return {"true": True, "1": True, "false": False, "0": False}[str(text).lower()]


def read_options(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_dir", required=True)
    parser.add_argument("--device", default="cpu")
    for name, usual in (("max_steps", 60), ("logging_steps", 10), ("warmup_steps", 10), ("per_device_train_batch_size", 8),
                        ("gradient_accumulation_steps", 2), ("seed", 42), ("num_examples", 512), ("max_seq_length", 16)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    for name, usual in (("learning_rate", 3e-3), ("weight_decay", 0.01), ("max_grad_norm", 1.0), ("scale_loss", 32768.0),
                        ("hidden_dropout_prob", 0.0)):
        parser.add_argument(f"--{name}", type=float, default=usual)
    for name in ("fp16", "disable_tqdm"):
        parser.add_argument(f"--{name}", type=truth, default=False)
    parser.add_argument("--fp16_opt_level", default="O1")
    if words and words[0].endswith(".json"):
        with open(words[0]) as file:
            parser.set_defaults(**json.load(file))
        words = words[1:]
    return parser.parse_args(words)


def open_log():
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("[%(asctime)s] [%(levelname)8s] - %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False  # Paddle has a handler of its own


def say_options(options):
    log.info("=" * 60)
    log.info("%s", "Training Configuration Arguments".center(40))
    for name, value in sorted(vars(options).items()):
        log.info("%-30s:%s", name, value)
    log.info("")


class Sentences:
    """Words that follow from the two before them, with some noise."""

    def __init__(self, options, words=48):
        draw = numpy.random.default_rng(options.seed)
        follows = draw.integers(0, words, (words, words))
        rows = [draw.integers(0, words, (options.num_examples, 2))]
        for _ in range(options.max_seq_length - 1):
            last = numpy.concatenate(rows, 1)
            noise = draw.integers(0, words, options.num_examples)
            word = numpy.where(draw.random(options.num_examples) < 0.9, follows[last[:, -2] % 4, last[:, -1]], noise)
            rows.append(word[:, None])
        self.rows, self.words = numpy.concatenate(rows, 1), words

    def batches(self, size, seed):
        for epoch in range(2**31):
            order = numpy.random.default_rng((seed, epoch)).permutation(len(self.rows))
            for at in range(0, len(order) - size + 1, size):
                batch = self.rows[order[at:at + size]]
                yield batch[:, :-1].astype("int64"), batch[:, 1:].astype("int64")


def choose_device(options):
    device = options.device
    paddle.set_device(device if device == "cpu" else "%s:%s" % (device, os.environ.get("FLAGS_selected_npus", "0")))


def make_optimizer(options, network):
    left = options.max_steps - options.warmup_steps
    decay = paddle.optimizer.lr.PolynomialDecay(options.learning_rate, max(left, 1), end_lr=0.0)
    schedule = paddle.optimizer.lr.LinearWarmup(decay, options.warmup_steps, 0.0, options.learning_rate)
    decayed = {parameter.name for name, parameter in network.named_parameters() if not any(word in name for word in ("bias", "norm"))}
    return schedule, paddle.optimizer.AdamW(
        schedule, parameters=network.parameters(), weight_decay=options.weight_decay,
        apply_decay_param_fun=lambda name: name in decayed, grad_clip=paddle.nn.ClipGradByGlobalNorm(options.max_grad_norm))


def train(options):
    for seed in (random.seed, numpy.random.seed, paddle.seed):
        seed(options.seed)
    data = Sentences(options)
    network = Transformer(data.words, options.max_seq_length + 1, options.hidden_dropout_prob)
    schedule, optimizer = make_optimizer(options, network)
    on_device = options.fp16 and options.device != "cpu"
    scaler = paddle.amp.GradScaler(enable=on_device, init_loss_scaling=options.scale_loss)
    batch_size, parts = options.per_device_train_batch_size, options.gradient_accumulation_steps
    batches = data.batches(batch_size, options.seed)

    log.info("***** Running training *****")
    log.info("  Num examples = %s", f"{options.num_examples:,}")
    log.info("  Instantaneous batch size per device = %d", batch_size)
    log.info("  Total train batch size (w. parallel, distributed & accumulation) = %d", batch_size * parts)
    log.info("  Gradient Accumulation steps = %d", parts)
    log.info("  Total optimization steps = %s", f"{options.max_steps:,}")
    log.info("  Number of trainable parameters = %s (per device)", f"{sum(one.size for one in network.parameters()):,}")

    losses, start = [], time.time()
    for step in range(1, options.max_steps + 1):
        loss_of_step = 0.0
        for _ in range(parts):
            words, following = next(batches)
            cast = paddle.amp.auto_cast(level=options.fp16_opt_level, dtype="float16") if on_device else contextlib.nullcontext()
            with cast:
                logits = network(paddle.to_tensor(words))
            loss = paddle.nn.functional.cross_entropy(logits.astype("float32"), paddle.to_tensor(following)) / parts
            scaler.scale(loss).backward()
            loss_of_step += float(loss)
        scale_before = float(scaler.get_init_loss_scaling()) if on_device else None
        rate = schedule.get_lr()
        scaler.step(optimizer)
        scaler.update()
        if on_device and scaler._found_inf:
            log.warning("optimizer not run, scale_before: %s, scale_after: %s", scale_before, float(scaler._scale))
        else:
            schedule.step()
        optimizer.clear_grad()
        losses.append(loss_of_step)
        if step % options.logging_steps == 0:
            took = max(time.time() - start, 1e-4)
            log.info("loss: %s, learning_rate: %s, global_step: %d, interval_runtime: %s, interval_samples_per_second: %s, "
                     "interval_steps_per_second: %s, progress_or_epoch: %s",
                     round(sum(losses) / len(losses), 8), f"{rate:.10g}", step, round(took, 4),
                     round(len(losses) * batch_size * parts / took, 3), round(len(losses) / took, 3), round(step / options.max_steps, 4))
            losses, start = [], time.time()


if __name__ == "__main__":
    open_log()
    chosen = read_options(sys.argv[1:])
    choose_device(chosen)
    say_options(chosen)
    train(chosen)
