"""Trains a small text recogniser the way PaddleOCR's tools/train.py does.

    python train.py -c rec.yml -o Global.use_npu=true Global.epoch_num=4

The configuration, the -o overrides and the log lines are PaddleOCR's; the data are drawn from the seed, so that nothing has to
be downloaded.  A stand-in NPU of another make, or the CPU, plays the GPU.  See README.md.
"""
import os

# Before numpy and Paddle: more threads than this only disturb the neighbours in such a small network.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import random
import sys
import time

import numpy
import paddle

from trainer.amp import Precision
from trainer.config import read_config
from trainer.data import TextLines
from trainer.log import Stats, log_config, open_log
from trainer.loss import build_loss
from trainer.metric import recognition_metric
from trainer.network import Recogniser
from trainer.optimizer import build_optimizer


def choose_device(settings, log):
    if settings["use_npu"]:
        device = "npu:%s" % os.environ.get("FLAGS_selected_npus", "0")
    else:
        device = "cpu"
        if settings["use_gpu"]:
            log.info("no GPU in this wheel: the CPU trains")
    paddle.set_device(device)
    return device


def train(config, log):
    settings = config["Global"]
    device = choose_device(settings, log)
    for seed in (random.seed, numpy.random.seed, paddle.seed):
        seed(settings["seed"])

    data = TextLines(**config["Train"]["dataset"], seed=settings["seed"])
    batch_size = config["Train"]["loader"]["batch_size_per_card"]
    batches = len(data) // batch_size
    network = Recogniser(classes=data.classes + 1)
    loss_of = build_loss(config["Loss"]["name"])
    multiplier = config["Loss"]["multiplier"]
    schedule, optimizer = build_optimizer(config["Optimizer"], network, settings["epoch_num"] * batches, multiplier)
    precision = Precision(settings, device, log)
    network, optimizer = precision.decorate(network, optimizer)
    stats = Stats(settings["log_smooth_window"])
    log.info("train with paddle %s and device %s", paddle.__version__, device)

    step = 0
    reader_cost = batch_cost = 0.0
    printed_at = step
    for epoch in range(1, settings["epoch_num"] + 1):
        for batch in range(batches):
            start = time.time()
            images, labels = data.batch(batch, batch_size)
            reader_cost += time.time() - start

            with precision.auto_cast():
                logits = network(paddle.to_tensor(images))
            loss = loss_of(logits.astype("float32"), paddle.to_tensor(labels))
            precision.step(loss * multiplier, optimizer)
            optimizer.clear_grad()
            step += 1
            batch_cost += time.time() - start

            values = {"lr": schedule.get_lr()}
            if settings["cal_metric_during_train"]:
                values.update(recognition_metric(logits.numpy(), labels))
            values["loss"] = float(loss)
            stats.update(values)
            if step % settings["print_batch_step"] == 0 or batch == batches - 1:
                count = step - printed_at
                left = settings["epoch_num"] * batches - step
                log.info(
                    "epoch: [%d/%d], global_step: %d, %s, avg_reader_cost: %.5f s, avg_batch_cost: %.5f s, "
                    "avg_samples: %s, ips: %.5f samples/s, eta: %s",
                    epoch, settings["epoch_num"], step, stats.line(), reader_cost / count, batch_cost / count,
                    float(batch_size), batch_size * count / batch_cost,
                    time.strftime("%H:%M:%S", time.gmtime(left * batch_cost / count)))
                reader_cost = batch_cost = 0.0
                printed_at = step
            schedule.step()


def main():
    config = read_config(sys.argv[1:])
    log = open_log(config["Global"]["save_model_dir"])
    log_config(log, config)
    train(config, log)


if __name__ == "__main__":
    main()
