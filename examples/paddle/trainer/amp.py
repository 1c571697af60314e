"""Mixed precision and the loss scale."""
import contextlib

import paddle


class Precision:
    def __init__(self, settings, device, log):
        self.on = settings["use_amp"] and device != "cpu"
        if settings["use_amp"] and not self.on:
            log.info("the reference stays in float32: the CPU has no float16 kernels to speak of")
        self.level = settings["amp_level"]
        self.black_list = settings["amp_custom_black_list"]
        self.scaler = paddle.amp.GradScaler(
            enable=self.on,
            init_loss_scaling=float(settings["scale_loss"]),
            use_dynamic_loss_scaling=settings["use_dynamic_loss_scaling"])

    def auto_cast(self):
        if not self.on:
            return contextlib.nullcontext()
        return paddle.amp.auto_cast(level=self.level, dtype="float16", custom_black_list=self.black_list)

    def step(self, loss, optimizer):
        if self.on:
            self.scaler.scale(loss).backward()
            self.scaler.minimize(optimizer, loss)
        else:
            loss.backward()
            optimizer.step()
