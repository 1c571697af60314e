"""Optimizer and learning rate from the configuration."""
import paddle
from paddle.optimizer.lr import CosineAnnealingDecay, StepDecay


def build_optimizer(settings, network, steps, multiplier):
    """multiplier: of the loss.  The learning rate of those optimizers that feel the size of a gradient is divided by it."""
    makers = {
        "Adam": paddle.optimizer.Adam,
        "AdamW": paddle.optimizer.AdamW,
        "Momentum": paddle.optimizer.Momentum,
        "SGD": paddle.optimizer.SGD,
    }
    rate = settings["lr"]["learning_rate"]
    if settings["name"] in ("Momentum", "SGD"):
        rate /= multiplier
    constant = settings["lr"]["name"] == "Const"
    schedule = StepDecay(rate, steps + 1) if constant else CosineAnnealingDecay(rate, steps)
    clip = settings["clip_norm"] * multiplier
    return schedule, makers[settings["name"]](
        learning_rate=schedule,
        parameters=network.parameters(),
        grad_clip=paddle.nn.ClipGradByGlobalNorm(clip) if clip else None)
