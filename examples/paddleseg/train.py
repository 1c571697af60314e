"""Trains BiSeNetV2 with PaddleSeg's own trainer, for a few iterations on data that need no download.

    python -m paddle.distributed.launch --devices 1 train.py --config bisenetv2.yml --device npu

The arguments are those of PaddleSeg's tools/train.py, which its wheel does not carry.  Model, optimizer, loop and log lines are
PaddleSeg's.  See README.md.
"""
import os

# Before numpy and Paddle: more threads than this only disturb the neighbours in such a small network.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import random

import numpy
import paddle
from paddleseg.core import train
from paddleseg.cvlibs import Config, SegBuilder
from paddleseg.utils import utils

import components  # noqa: F401; registers the data set and the loss that bisenetv2.yml names


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", required=True)
    parser.add_argument("--device", choices=["npu", "cpu"], default="cpu", help="there is no GPU in the CPU wheel")
    parser.add_argument("--iters", type=int)
    parser.add_argument("--batch_size", type=int)
    parser.add_argument("--learning_rate", type=float)
    parser.add_argument("--save_dir", default="./output")
    parser.add_argument("--log_iters", type=int, default=1)
    parser.add_argument("--precision", choices=["fp32", "fp16"], default="fp32")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    for seed in (random.seed, numpy.random.seed, paddle.seed):
        seed(arguments.seed)
    utils.set_device(arguments.device)
    config = Config(
        arguments.config,
        learning_rate=arguments.learning_rate,
        iters=arguments.iters,
        batch_size=arguments.batch_size)
    built = SegBuilder(config)
    train(
        model=built.model,
        train_dataset=built.train_dataset,
        optimizer=built.optimizer,
        save_dir=arguments.save_dir,
        iters=config.iters,
        batch_size=config.batch_size,
        save_interval=10 * config.iters,  # nothing is saved
        log_iters=arguments.log_iters,
        losses=built.loss,
        precision=arguments.precision)


if __name__ == "__main__":
    main()
