#!/usr/bin/env python3
"""`bisectd run` with default options on nine trainings of a new user of torch_npu, with stand-in CANNs that round: who is accused, and rightly?

    new_trainings.py [--kinds cnn,bert,...] [--games 3] [--first-seed 1] [--healthy] [--steps 60] [--python FILE] [--keep FOLDER] [--bisectd FILE]

Of each training (new_training.py) so many games, with a seed, reference and device of their own. In each one fault is planted, which was seen to
harm the loss by four times the target, as in planted_torch_npu.py. --healthy: nothing is planted. --python: one with torch_npu, transformers,
lightning and accelerate.

One kind more, compiler: not an operator is wrong, but the graphs that torch.compile makes.
"""
import argparse
import json
import pathlib
import random
import shlex
import tempfile

from planted_devices import NO_SEARCH, ROOT, played
from planted_torch_npu import FAULTS, HF32, PYTHON, Training, judged, warm_start

CNN = {name: known for name, known in FAULTS["cnn"].items() if name != HF32}  # which makes the training itself unsteady
MLP = {"Addmm": (.3, "addmm"), "Mm": (3, "mm"), "GeluBackward": (3, "gelu_backward", "compatible_impl"), "Tanh": (.3, "tanh"),
       "TanhBackward": (3, "tanh_backward"), "LayerNorm": (.3, "native_layer_norm", "compatible_impl"),
       "LayerNormBackward": (3, "native_layer_norm_backward")}
LOSS = {"LogSoftmax": (.1, "_log_softmax"), "LogSoftmaxBackward": (3, "_log_softmax_backward_data"), "NLLLoss": (.1, "nll_loss_forward")}
# Of which PyTorch makes AdamW, tensor by tensor.
ADAMW = {"InplaceAddcdiv": (.5, "addcdiv_"), "InplaceAddcmul": (3, "addcmul_"), "Sqrt": (1, "sqrt"), "InplaceLerps": (.5, "lerp_.Scalar")}
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
    "compiler": {"tanh": (.2, "TORCH_COMPILE_DISABLE")}}
NINE = list(KNOWN)[:9]


class Compiled(Training):
    """Not the device is wrong, but torch.compile."""

    def write(self, file, faults):
        file.write_text(json.dumps({name: self.known[name][0] for name in faults}))

    def environment(self, make, faults=None):
        return super().environment(make) | ({"PLANTED": str(faults)} if faults else {})


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
    with tempfile.TemporaryDirectory() as temporary, warm_start(pathlib.Path(temporary), wanted.python, ("transformers", "lightning")) as start:
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
    print(f"{counts}; {trials} trials")


if __name__ == "__main__":
    main()
