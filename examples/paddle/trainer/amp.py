"""Mixed precision and the loss scale."""
import contextlib

import paddle


def phases_of(text):
    """{step: scale from there on} of `0:65536,1000:4096`, or of a number alone."""
    phases = str(text).split(",") if ":" in str(text) else [f"0:{text}"]
    scales = {int(step): float(scale) for step, scale in (phase.split(":") for phase in phases)}
    if 0 not in scales:
        raise SystemExit(f"scale_loss={text}: phases begin at step 0, as in 0:65536,1000:4096")
    return scales


class Precision:
    def __init__(self, settings, device, log):
        self.on = settings["use_amp"] and device != "cpu"
        if settings["use_amp"] and not self.on:
            log.info("the reference stays in float32: the CPU has no float16 kernels to speak of")
        self.level = settings["amp_level"]
        self.black_list = settings["amp_custom_black_list"]
        self.log, self.steps, self.phases = log, 0, phases_of(settings["scale_loss"])
        self.scaler = paddle.amp.GradScaler(
            enable=self.on,
            init_loss_scaling=self.phases[0],
            use_dynamic_loss_scaling=settings["use_dynamic_loss_scaling"])

    def decorate(self, network, optimizer):
        """At O2 parameters are float16; the optimizer keeps and trains a float32 master of each."""
        if self.on and self.level == "O2":
            return paddle.amp.decorate(models=network, optimizers=optimizer, level="O2", dtype="float16", master_weight=True)
        return network, optimizer

    def auto_cast(self):
        if not self.on:
            return contextlib.nullcontext()
        return paddle.amp.auto_cast(level=self.level, dtype="float16", custom_black_list=self.black_list)

    def step(self, loss, optimizer):
        if self.on:
            if self.steps and self.steps in self.phases:
                self.scaler.set_init_loss_scaling(self.phases[self.steps])
                self.log.info("after step %d the loss scale is %g", self.steps, self.phases[self.steps])
            self.steps += 1
            self.scaler.scale(loss).backward()
            self.scaler.minimize(optimizer, loss)
        else:
            loss.backward()
            optimizer.step()
