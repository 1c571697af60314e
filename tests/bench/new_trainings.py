#!/usr/bin/env python3
"""`bisectd run` with default options on nine trainings of a new user of torch_npu, with stand-in CANNs that round: who is accused, and rightly?

    new_trainings.py [--kinds cnn,bert,...] [--games 3] [--first-seed 1] [--healthy] [--most 1] [--steps 60] [--python FILE] [--keep FOLDER] [--bisectd FILE]

Of each training (new_training.py) so many games, with a seed, reference and device of their own. In each one fault is planted, which was seen to
harm the loss by four times the target, as in planted_torch_npu.py. --healthy: nothing is planted. --python: one with torch_npu, transformers,
lightning and accelerate.

Two kinds more, where what is wrong is torch.compile: compiler, whose graphs are, on the device and with default options; and inductor, up to --most
of whose lowerings and passes are, on the CPU and with the suspects `inductor: {discover: true}`. CompilerBisector of PyTorch plays the same games.
"""
import argparse
import json
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

from planted_devices import NO_SEARCH, ROOT, played
from planted_torch_npu import BENCH, FAULTS, HF32, PYTHON, Training, judged, warm_start

CNN = {name: known for name, known in FAULTS["cnn"].items() if name != HF32}  # which makes the training itself unsteady
MLP = {"Addmm": (.3, "addmm"), "Mm": (3, "mm"), "GeluBackward": (3, "gelu_backward", "compatible_impl"), "Tanh": (.3, "tanh"),
       "TanhBackward": (3, "tanh_backward"), "LayerNorm": (.3, "native_layer_norm", "compatible_impl"),
       "LayerNormBackward": (3, "native_layer_norm_backward")}
LOSS = {"LogSoftmax": (.1, "_log_softmax"), "LogSoftmaxBackward": (3, "_log_softmax_backward_data"), "NLLLoss": (.1, "nll_loss_forward")}
# Of which PyTorch makes AdamW, tensor by tensor.
ADAMW = {"InplaceAddcdiv": (.5, "addcdiv_"), "InplaceAddcmul": (3, "addcmul_"), "Sqrt": (1, "sqrt"), "InplaceLerps": (.5, "lerp_.Scalar")}
KNOWN = {
    "cnn": CNN,
    "bert": MLP | LOSS | ADAMW | {"Embedding": (.5, "embedding"), "FlashAttentionScore": (.5, "scaled_dot_product_attention")},
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
    "compiler": {"tanh": (.2, "TORCH_COMPILE_DISABLE")},
    "inductor": {name: (.2, name) for name in (
        "lowerings/tanh", "lowerings/sigmoid", "lowerings/erf", "lowerings/exp", "lowerings/rsqrt", "lowerings/addmm", "lowerings/mm",
        "joint_graph_passes/pass_pattern_0", "joint_graph_passes/pass_pattern_1", "post_grad_passes/remove_noop_ops",
        "post_grad_passes/remove_assert_ops", "post_grad_passes/pass_pattern_0", "post_grad_passes/pass_pattern_1", "post_grad_passes/pass_pattern_2")}}
NINE = list(KNOWN)[:9]


class Compiled(Training):
    """Not the device is wrong, but torch.compile."""

    def write(self, file, faults):
        file.write_text(json.dumps({name: self.known[name][0] for name in faults}))

    def environment(self, make, faults=None):
        return super().environment(make) | ({"PLANTED": str(faults)} if faults else {})


class Inductor(Compiled):
    def __init__(self, kind, seed, steps, python, folder):
        super().__init__(kind, seed, steps, [], known=KNOWN)
        self.command, self.kernels = [python, str(BENCH / "inductor_training.py"), str(seed), str(steps)], str(folder)

    def environment(self, make, faults=None):
        kept = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_CACHE_DIR": self.kernels}  # of kernels, not of graphs
        return super().environment(make, faults) | kept | {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

    def bisected(self, folder, faults):
        """Whether PyTorch's own CompilerBisector finds what is wrong."""
        right = self.level(folder, (), "gpu")
        done = subprocess.run([*self.command, "--bisect", str(right)], env=self.environment("npu", folder / "faults.json"), capture_output=True, text=True)
        said = re.search(r"subsystem='(\w+)', bisect_number=\d+, debug_info='(\w+)'", done.stdout)
        names = {f"{said[1]}/{name}" for name in (said[2], re.sub(r"_\d+$", "", said[2]))} if said else set()
        return "exact" if len(faults) == 1 and names & set(faults) else (done.stdout or done.stderr).strip().splitlines()[-1]


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
            if kind == "inductor":
                yield Inductor(kind, seed, wanted.steps, wanted.python, temporary), folder
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
    parser.add_argument("--most", type=int, default=1, help="faults of a game")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--python", default=str(PYTHON))
    parser.add_argument("--keep", type=lambda folder: pathlib.Path(folder).absolute(), help="where the runs stay")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    counts, trials = {}, 0
    with tempfile.TemporaryDirectory() as temporary, warm_start(pathlib.Path(temporary), wanted.python, ("transformers", "lightning")) as start:
        for training, folder in games(wanted, start, pathlib.Path(temporary)):
            faults = [] if wanted.healthy else training.planted(random.Random(f"{training.kind} {training.seed}"), wanted.most, folder)
            is_inductor = training.kind == "inductor"
            training.experiment(folder, faults, 1, **({"suspects": {"inductor": {"discover": True}}} if is_inductor else {}))
            report, seconds = played(wanted.bisectd, folder)
            result = judged(report, [training.known[name][1:] for name in faults])
            counts[result.split()[0]] = counts.get(result.split()[0], 0) + 1
            trials += report["trials"]
            searched = sum(trial["role"] not in NO_SEARCH for trial in report["trial_list"])
            broken = sum(trial["verdict"] == "unresolved" for trial in report["trial_list"])
            print(f"{training.kind:10} seed {training.seed:3} planted {','.join(faults) or '-':27} {result:30} trials {report['trials']:3} of them of the "
                  f"search {searched:3} crashed {broken} confidence {report.get('confidence')} {seconds:4.0f} s {report.get('advice', '')[:200]}", flush=True)
            if is_inductor:
                print(f"{'':10} CompilerBisector: {training.bisected(folder, faults)}", flush=True)
    print(f"{counts}; {trials} trials")


if __name__ == "__main__":
    main()
