#!/usr/bin/env python3
"""A training that honours the variables by which torch_npu's inductor leaves passes and operators out, and computes nothing.

Options are words KEY=VALUE: guilty (pass:NAME or op:NAME)."""
import os
import sys

PASSES = ["fold_cast", "fold_cat", "fold_clone", "view_fold_pass", "pad_slice_fold"]


def listed(variable):
    return [name for name in os.environ.get(variable, "").split(",") if name]


def main(words):
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    off = listed("SHUT_DOWN_FX_PASS_LIST")
    for name in PASSES:
        if name not in off and "npu" in words:
            print(f"[inductor_fx_pass] {name} works")
    safe = {f"pass:{name}" for name in off} | {f"op:{name}" for name in listed("NPU_INDUCTOR_FALLBACK_LIST")}
    wrong = "npu" in words and settings.get("guilty") and settings["guilty"] not in safe
    for step in range(1, 41):
        print(f"step {step} loss {(2 + 6 * 0.9 ** step) * (1.03 if wrong else 1):.6f}")


if __name__ == "__main__":
    main(sys.argv[1:])
