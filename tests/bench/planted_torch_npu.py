#!/usr/bin/env python3
"""`bisectd run` with default options on the real torch_npu and stand-in CANNs that round: who is accused, and rightly?

    planted_torch_npu.py [--games 60] [--first-seed 1] [--kinds cnn,plain,fused] [--most 3] [--healthy] [--steps 60] [--devices 1] [--cold] [--keep FOLDER] [--bisectd FILE]

Per game the training (torch_npu_training.py, the kinds in turn) has a seed of its own, and reference and device are of makes of their own. One to
--most faults are planted, each of which, and each set of which, was seen to harm the loss of this training on this device by four times the
target, and by twice the standard error of that. A game: three references, 24 to 36 operators (many: 64) and 17 flags. --healthy: nothing is
planted.
"""
import argparse
import contextlib
import itertools
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

from planted_devices import NO_SEARCH, ROOT, TARGET, level, played

sys.path.append(str(ROOT / "tests/end_to_end"))
import warm_start as warm

ENVIRONMENT = pathlib.Path(os.environ.get("TORCH_NPU", ROOT / "build/torch-npu"))  # as in examples/torch_npu/build
PYTHON = ENVIRONMENT / "bin/python"
BENCH = ROOT / "tests/bench"
HF32 = "hf32"
# What of aclnn may be wrong, by how much, and the suspects any of which mends it; of HF32 the bits that it loses (12 of a healthy device).
# With compatible_impl torch_npu calls another operator of aclnn in place of some.
FAULTS = {
    "cnn": {"MaxPool2dWithMaskBackward": (4, "max_pool2d_with_indices+max_pool2d_with_indices_backward", "compatible_impl"),
            "Convolution": (.3, "convolution"), "ConvolutionBackward": (-.9, "convolution_backward"), "BatchNorm": (.3, "native_batch_norm"),
            "BatchNormBackward": (3, "native_batch_norm_backward"), "Relu": (.5, "relu"), "ThresholdBackward": (3, "threshold_backward"),
            "Silu": (.3, "silu"), "SiluBackward": (3, "silu_backward"), "AdaptiveAvgPool2d": (.3, "_adaptive_avg_pool2d"),
            "AdaptiveAvgPool2dBackward": (3, "_adaptive_avg_pool2d_backward"), "Addmm": (.3, "addmm"), "Mm": (3, "mm"),
            "ForeachAddListV2": (.3, "_foreach_add_.List"), "LogSoftmax": (.1, "_log_softmax"),
            HF32: (22, "conv_hf32", "aclnn_hf32", "convolution", "convolution_backward")},
    "plain": {"Matmul": (.5, "matmul", "compatible_impl"), "Softmax": (.5, "_softmax"), "SoftmaxBackward": (3, "_softmax_backward_data"),
              "GeluBackward": (3, "gelu_backward", "compatible_impl"), "LayerNorm": (.3, "native_layer_norm", "compatible_impl"),
              "LayerNormBackward": (3, "native_layer_norm_backward"), "Addmm": (.3, "addmm"), "Mm": (3, "mm"), "InplaceAddcdiv": (.5, "addcdiv_"),
              "InplaceAddcmul": (3, "addcmul_"), "Embedding": (.5, "embedding"), "Sqrt": (1, "sqrt"), "InplaceLerps": (.5, "lerp_.Scalar")},
    "fused": {"FlashAttentionScore": (.5, "npu_fusion_attention_v3"), "FlashAttentionScoreGrad": (3, "npu_fusion_attention_grad_v3"),
              "GeluBackward": (3, "gelu_backward", "compatible_impl"), "LayerNorm": (.3, "native_layer_norm", "compatible_impl"),
              "LayerNormBackward": (3, "native_layer_norm_backward"), "Addmm": (.3, "addmm"), "Mm": (3, "mm"), "ApplyAdamWV2": (.3, "_fused_adamw_"),
              "Embedding": (.5, "embedding"), "LogSoftmaxBackward": (3, "_log_softmax_backward_data")}}
FAULTS["many"] = FAULTS["plain"]
OFTEN = {"MaxPool2dWithMaskBackward", HF32, "FlashAttentionScore", "FlashAttentionScoreGrad", "InplaceAddcdiv"}


def harmed(healthy, losses):
    """Whether a fault does four times the target to the level of the loss, and more than twice the standard error of that."""
    if not all(map(math.isfinite, losses)):
        return False
    last = max(2, round(.3 * len(losses)))
    error = statistics.stdev(loss - other for loss, other in zip(losses[-last:], healthy[-last:])) / math.sqrt(last)
    return abs(level(losses) - level(healthy)) > max(4 * TARGET * level(healthy), 2 * error)


class Training:
    def __init__(self, kind, seed, steps, start, script="torch_npu_training.py", known=FAULTS):
        self.kind, self.seed, self.known = kind, seed, known[kind]
        self.command = [*start, str(BENCH / script), self.kind, str(seed), str(steps)]

    def environment(self, make, faults=None):
        return {"LD_LIBRARY_PATH": str(ENVIRONMENT / "cann"), "STANDIN_CANN_MAKE": f"{make}{self.seed}", "OMP_NUM_THREADS": "1"} | (
            {"STANDIN_CANN_FAULTS": str(faults)} if faults else {})

    def write(self, file, faults):
        """The fault file of a device where these are wrong."""
        sizes = {name: self.known[name][0] for name in faults}
        bits = {"hf32_bits_lost": sizes.pop(HF32)} if HF32 in sizes else {}
        file.write_text(json.dumps({"faults": [{"op": f"aclnn{name}", "relative": size} for name, size in sizes.items()]} | bits))

    def losses(self, folder, faults):
        self.write(folder / "tried.json", faults)
        done = subprocess.run(self.command, cwd=folder, env=self.environment("npu", folder / "tried.json"), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=True)
        return [float(loss) for loss in re.findall(r"(?<!_)loss\W+(nan|inf|\d[\d.e-]*)", done.stdout)]

    def drawn(self, chance, most):
        return sorted(set(chance.sample(list(self.known) + sorted(OFTEN & set(self.known)) * 3, chance.randint(1, most))))

    def planted(self, chance, most, folder):
        """Faults, drawn until every set of them does harm; an error where hardly any does."""
        healthy, seen = self.losses(folder, ()), {}
        for _ in range(1000):
            faults = self.drawn(chance, most)
            for some in (some for count in range(1, len(faults) + 1) for some in itertools.combinations(faults, count)):
                if some not in seen:
                    seen[some] = harmed(healthy, self.losses(folder, some))
                if not seen[some]:
                    break
            else:
                return faults
        sys.exit(f"{self.kind}, seed {self.seed}: no set of faults was found that harms this training, {len(seen)} were tried")

    def experiment(self, folder, faults, devices, **more):
        self.write(folder / "faults.json", faults)
        sides = {"reference": (self.environment("gpu"), [3]), "subject": (self.environment("npu", folder / "faults.json"), range(devices))}
        settings = {name: {"command": self.command, "environment": environment, "devices": {"kind": "npu", "ids": list(ids)}}
                    for name, (environment, ids) in sides.items()}
        (folder / "experiment.yaml").write_text(json.dumps({"version": 1, "name": "planted", "extends": "torch-npu", **settings, **more}))


def judged(report, menders):
    """menders: of each fault the suspects that mend it."""
    if report["outcome"] != "culprits":
        return "exact" if not menders and report["outcome"] == "aligned" else f"undecided ({report['outcome']})"
    named = {culprit["name"] for culprit in report["culprit_set"]}
    if named <= set().union(*menders) and all(named & set(one) for one in menders):
        return "exact"
    return f"{'WRONG' if report['confidence'] > 0.9 else 'doubted'} {','.join(sorted(named))}"


@contextlib.contextmanager
def warm_start(folder, python=PYTHON, modules=()):
    """The beginning of a command that starts a script in a process that has imported PyTorch, and these modules."""
    path = str(folder / "socket")
    with warm.serving(python, path, [*warm.OF_TORCH_NPU, *modules], {"LD_LIBRARY_PATH": str(ENVIRONMENT / "cann"), "OMP_NUM_THREADS": "1"}):
        yield [str(python), warm.__file__, path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--kinds", type=lambda words: words.split(","), default=["cnn", "plain", "fused"])
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--devices", type=int, default=1, help="of the subject")
    parser.add_argument("--cold", action="store_true", help="every training is a Python of its own that imports all: five times as long")
    parser.add_argument("--keep", type=lambda folder: pathlib.Path(folder).absolute(), help="where the runs stay")
    parser.add_argument("--bisectd", type=lambda file: str(pathlib.Path(file).absolute()), default=str(ROOT / "build/ci/driver/bisectd"))
    wanted = parser.parse_args()
    counts, trials, crashed = {}, [], 0
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        start = [str(PYTHON)] if wanted.cold else stack.enter_context(warm_start(pathlib.Path(temporary)))
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.games):
            folder = (wanted.keep or pathlib.Path(temporary)) / str(seed)
            folder.mkdir(parents=True)
            training = Training(wanted.kinds[seed % len(wanted.kinds)], seed, wanted.steps, start)
            faults = [] if wanted.healthy else training.planted(random.Random(seed), wanted.most, folder)
            training.experiment(folder, faults, wanted.devices)
            report, seconds = played(wanted.bisectd, folder)
            result = judged(report, [training.known[name][1:] for name in faults])
            counts[result.split()[0]] = counts.get(result.split()[0], 0) + 1
            broken = sum(trial["verdict"] == "unresolved" for trial in report["trial_list"])
            trials.append(report["trials"])
            crashed += broken
            searched = sum(trial["role"] not in NO_SEARCH for trial in report["trial_list"])
            print(f"{training.kind:5} seed {seed:3} planted {','.join(faults) or '-':34} {result:30} trials {report['trials']:3} of them of the search "
                  f"{searched:3} crashed {broken} confidence {report.get('confidence')} {seconds:4.0f} s {report.get('advice', '')[:150]}", flush=True)
    print(f"{counts}; {sum(trials)} trials, of which {crashed} crashed ({100 * crashed / sum(trials):.1f} %)")


if __name__ == "__main__":
    main()
