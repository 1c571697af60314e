#!/usr/bin/env python3
"""`bisectd run` with default options on nine trainings of a new user of torch_npu, with stand-in CANNs that round: who is accused, and rightly?

    new_trainings.py [--kinds cnn,bert,...] [--games 3] [--first-seed 1] [--healthy] [--steps 60] [--python FILE] [--keep FOLDER] [--bisectd FILE]

Of each training (new_training.py) so many games, with a seed, reference and device of their own. In each one fault is planted, which was seen to
harm the loss by four times the target, as in planted_torch_npu.py. --healthy: nothing is planted. --python: one with torch_npu, transformers,
lightning and accelerate.

Kinds more, where not an operator is wrong. compiler: the graphs that torch.compile makes are; lowering, pass, both: a lowering of inductor, a pass
or one of each, in a training on the CPU (inductor_training.py). PyTorch's own CompilerBisector plays these games as well.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

from planted_devices import NO_SEARCH, ROOT, level, played
from planted_torch_npu import FAULTS, HF32, PYTHON, Training, judged, warm_start

CNN = {name: known for name, known in FAULTS["cnn"].items() if name != HF32}  # which makes the training itself unsteady
MLP = {"Addmm": (.3, "addmm"), "Mm": (3, "mm"), "GeluBackward": (3, "gelu_backward", "compatible_impl"), "Tanh": (.3, "tanh"),
       "TanhBackward": (3, "tanh_backward"), "LayerNorm": (.3, "native_layer_norm", "compatible_impl"),
       "LayerNormBackward": (3, "native_layer_norm_backward")}
LOSS = {"LogSoftmax": (.1, "_log_softmax"), "LogSoftmaxBackward": (3, "_log_softmax_backward_data"), "NLLLoss": (.1, "nll_loss_forward")}
# Of which PyTorch makes AdamW, tensor by tensor.
ADAMW = {"InplaceAddcdiv": (.5, "addcdiv_"), "InplaceAddcmul": (3, "addcmul_"), "Sqrt": (1, "sqrt"), "InplaceLerps": (.5, "lerp_.Scalar")}
LOWERINGS = {f"lowerings/{name}": (.2, f"lowerings/{name}") for name in ("tanh", "sigmoid", "erf", "rsqrt", "addmm", "mm")}
PASSES = {f"{graph}_passes/{name}": (.2, f"{graph}_passes/{name}") for graph, name in (
    ("joint_graph", "pass_pattern_0"), ("joint_graph", "pass_pattern_1"), ("post_grad", "remove_noop_ops"), ("post_grad", "remove_assert_ops"),
    ("post_grad", "pass_pattern_0"), ("post_grad", "pass_pattern_1"), ("post_grad", "pass_pattern_2"))}
INDUCTOR = {"lowering": [LOWERINGS], "pass": [PASSES], "both": [LOWERINGS, PASSES]}
KNOWN = {
    "cnn": CNN,
    "bert": MLP | LOSS | ADAMW | {"Embedding": (.5, "embedding"), "FlashAttentionScore": (.5, "npu_fusion_attention_v3")},
    "lightning": CNN | ADAMW,
    "accelerate": FAULTS["plain"],
    "compile": MLP | LOSS,
    "foreach": {"ForeachLerpScalar": (.5, "_foreach_lerp_.Scalar"), "ForeachAddcmulScalarV2": (3, "_foreach_addcmul_.Scalar"),
                "ForeachSqrt": (1, "_foreach_sqrt"), "ForeachDivScalarList": (.5, "_foreach_div_.ScalarList"),
                "ForeachAddcdivScalarList": (.5, "_foreach_addcdiv_.ScalarList")},
    "padding": LOSS | ADAMW | {
        "Embedding": (.5, "embedding"), "EmbeddingDenseBackward": (-.9, "embedding_dense_backward"), "Silu": (.3, "silu"), "Mm": (3, "mm"),
        "SiluBackward": (3, "silu_backward"), "Matmul": (.5, "matmul", "compatible_impl"), "Tanh": (.3, "tanh"), "InplaceTanh": (.3, "tanh_"),
        "InplaceSigmoid": (.3, "sigmoid_"), "SigmoidBackward": (3, "sigmoid_backward"), "Mean": (.3, "mean.dim")},
    "tqdm": CNN,
    "composite": MLP | {"BinaryCrossEntropyWithLogits": (.1, "binary_cross_entropy_with_logits")},
    "compiler": {"tanh": (.2, "TORCH_COMPILE_DISABLE")}} | {kind: LOWERINGS | PASSES for kind in INDUCTOR}
NINE = list(KNOWN)[:9]
IMPORTED = {"bert": "transformers", "lightning": "lightning"}  # accelerate would import torch_npu


class Compiled(Training):
    """Not the device is wrong, but torch.compile."""

    def write(self, file, faults):
        file.write_text(json.dumps({name: self.known[name][0] for name in faults}))

    def environment(self, make, faults=None):
        return super().environment(make) | ({"PLANTED": str(faults)} if faults else {})


class Inductor(Compiled):
    def __init__(self, kind, seed, steps, start, kernels):
        super().__init__(kind, seed, 5 * steps, start, "inductor_training.py", KNOWN)  # a step takes a millisecond
        self.kernels = kernels

    def environment(self, make, faults=None):
        return super().environment(make, faults) | {
            "TORCHINDUCTOR_CACHE_DIR": str(self.kernels), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PATH": os.environ["PATH"]}

    def drawn(self, chance, most):
        return [chance.choice(list(part)) for part in INDUCTOR[self.kind]]

    def experiment(self, folder, faults, devices):
        super().experiment(folder, faults, devices, suspects={"inductor": {"discover": True}})

    def bisected(self, folder):
        """What PyTorch's own CompilerBisector finds wrong, a run being right if its loss ends where it does with nothing planted."""
        done = subprocess.run([*self.command, str(level(self.losses(folder, ())))], env=self.environment("npu", folder / "faults.json"),
                              capture_output=True, text=True)
        found = re.search(r"subsystem='(\w+)', bisect_number=\d+, debug_info='(\w+)'", done.stdout)
        return f"{found[1]}/{found[2]}" if found else (done.stdout or done.stderr).strip().splitlines()[-1]


def piped(command, folder):
    """As launch scripts have it: the bar and what is printed in one stream, and a log of it."""
    script = folder / "train.sh"
    script.write_text(f"{shlex.join(command)} 2>&1 | tee train.log\n")
    return ["sh", str(script)]


def games(wanted, start, temporary):
    for kind in wanted.kinds:
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.games):
            folder = (wanted.keep or temporary) / f"{kind}-{seed}"
            folder.mkdir(parents=True)
            if kind in INDUCTOR:
                yield Inductor(kind, seed, wanted.steps, start, folder.parent / "kernels"), folder
                continue
            training = (Compiled if kind == "compiler" else Training)(kind, seed, wanted.steps, start, "new_training.py", KNOWN)
            if kind == "tqdm":
                training.command = piped(training.command, folder)
            yield training, folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", type=lambda words: words.split(","), default=NINE)
    parser.add_argument("--games", type=int, default=3, help="of each kind")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--python", default=str(PYTHON))
    parser.add_argument("--keep", type=lambda folder: pathlib.Path(folder).absolute(), help="where the runs stay")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    counts, trials = {}, 0
    modules = [IMPORTED[kind] for kind in wanted.kinds if kind in IMPORTED]
    with tempfile.TemporaryDirectory() as temporary, warm_start(pathlib.Path(temporary), wanted.python, modules) as start:
        for training, folder in games(wanted, start, pathlib.Path(temporary)):
            faults = [] if wanted.healthy else training.planted(random.Random(f"{training.kind} {training.seed}"), 1, folder)
            training.experiment(folder, faults, 1)
            report, seconds = played(wanted.bisectd, folder)
            result = judged(report, [training.known[name][1:] for name in faults])
            counts[result.split()[0]] = counts.get(result.split()[0], 0) + 1
            trials += report["trials"]
            searched = sum(trial["role"] not in NO_SEARCH for trial in report["trial_list"])
            broken = sum(trial["verdict"] == "unresolved" for trial in report["trial_list"])
            print(f"{training.kind:10} seed {training.seed:3} planted {','.join(faults) or '-':27} {result:30} trials {report['trials']:3} of them of the "
                  f"search {searched:3} crashed {broken} confidence {report.get('confidence')} {seconds:4.0f} s {report.get('advice', '')[:200]}", flush=True)
            if training.kind in INDUCTOR:
                print(f"{'':10} CompilerBisector: {training.bisected(folder)}", flush=True)
    print(f"{counts}; {trials} trials")


if __name__ == "__main__":
    main()
