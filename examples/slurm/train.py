"""A training of some seconds that needs nothing but Python. On an "NPU" two of its operators compute wrongly, unless they are
listed in CPU_OPS. It says which device it was given."""
import os
import random
import sys
import time

FAULTS = {"softmax": 0.03, "layer_norm_grad": 0.02}
STEPS = 60

on_npu = "--npu" in sys.argv
on_cpu = set(filter(None, os.environ.get("CPU_OPS", "").split(",")))
wrong = sum(share for name, share in FAULTS.items() if on_npu and name not in on_cpu)
rounding = random.Random(int(os.environ.get("TRAIN_PERTURB", 0)) + 1000 * on_npu)
print("device:", os.environ.get("ASCEND_RT_VISIBLE_DEVICES", "none"), flush=True)
for step in range(1, STEPS + 1):
    loss = 8 / (1 + 0.05 * step) * (1 + wrong) * (1 + rounding.gauss(0, 1e-7 * step))
    print(f"global_step: {step}, loss: {loss:.9f}", flush=True)
    time.sleep(0.05)
