#!/usr/bin/env python3
"""Checks that editors and the loader agree about files: what the tests load is valid under the schema, and every slip
that a schema can see is refused by it. Needs python3-jsonschema and python3-yaml; exits with 77 (skipped) without."""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "configs/schema/experiment.schema.json").read_text())
GOOD = yaml.safe_load((ROOT / "tests/configs/every_key.yaml").read_text())

# (path to the value, wrong value); the loader's own tests refuse each of these too.
SLIPS = [
    (["version"], 2),
    (["nam"], "x"),
    (["launcher"], "slurm"),
    (["subject", "launch"], "slurm"),
    (["subject", "launch"], {"slurm": {"partion": "npu"}}),
    (["steps"], 0),
    (["steps"], "1000"),
    (["steps"], 10**13),
    (["soak"], 0),
    (["subject", "stall"], "-5m"),
    (["subject", "stall"], "0s"),
    (["subject", "exit_grace"], "-5m"),
    (["search", "confidence"], "-1%"),
    (["reference", "comand"], ["x"]),
    (["reference", "command"], "python train.py"),
    (["reference", "command"], []),
    (["reference", "command"], [None]),
    (["reference", "repeats"], 0),
    (["subject", "repeats"], 3),
    (["perturb"], "yes"),
    (["perturb", "switches"], []),
    (["perturb", "environment"], "A"),
    (["perturb", "sed"], 1),
    (["reference", "perturb"], {"argument": "--perturb"}),
    (["subject", "timeout"], 30),
    (["subject", "environment"], {"A B": "1"}),
    (["subject", "environment"], {"A": [1]}),
    (["subject", "environment"], {"A": None}),
    (["subject", "unset"], "LD_PRELOAD"),
    (["subject", "devices", "ids"], [0, 0]),
    (["subject", "devices", "ids"], []),
    (["subject", "devices", "ids"], [-1]),
    (["subject", "devices", "per_trial"], "yes"),
    (["metric"], {}),
    (["metric", "loss", "format"], "padleocr"),
    (["metric", "acc", "higher_is_better"], "on"),
    (["checks"], "standart"),
    (["checks", "standard"], "all"),
    (["checks", "batch", "per_device"], 2),
    (["checks", "batch", "pattern"], []),
    (["hold"], {}),
    (["hold", "seed"], -1),
    (["hold", "sed"], 1),
    (["hold_by", "speed"], {"A": "b"}),
    (["accept", "target"], 0.5),
    (["accept", "grey"], 0.5),
    (["accept", "step_time"], "10%"),
    (["accept", "traget"], "1%"),
    (["families", "fp32", "kind"], "lst"),
    (["families", "fp32", "deliver", "argument"], "--off"),
    (["families", "fp32", "deliver", "each"], "off"),
    (["families", "fusion", "deliver", "file"], {"text": "{name}"}),
    (["families", "fusion", "deliver", "file", "json"], "{name}"),
    (["families", "fusion", "discover", "members"], "**/names"),
    (["families", "fusion", "never_off"], {"names": ["A"]}),
    (["families", "loss_scale", "values"], [1]),
    (["families", "loss_scale", "values"], ["a", "b"]),
    (["families", "loss_scale", "values"], [1, "dynamc"]),
    (["overflow_check"], {"environment": {"A": "1"}}),
    (["families", "options", "toggles"], {}),
    (["suspects"], {}),
    (["suspects", "ops"], "relu"),
    (["suspects", "ops"], []),
    (["suspects", "fusion", "file"], ["passes.txt"]),
    (["families", "impl_mode", "members"], []),
    (["families", "fusion", "never_off"], {"instead": "x"}),
    (["suspects", "ops", "likely"], {"pad3d": 0}),
    (["suspects", "ops", "exclude"], ["feed", "feed"]),
    (["search", "budget", "hours"], 0),
    (["search", "engine"], "orderd"),
]


def with_value(path, value):
    changed = copy.deepcopy(GOOD)
    block = changed
    for key in path[:-1]:
        block = block[key]
    block[path[-1]] = value
    return changed


def keys(tree, of_schema=False):
    """The keys of all maps in the tree; of a schema those that it describes."""
    below = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    own = tree.get("properties", {}) if of_schema and isinstance(tree, dict) else tree if isinstance(tree, dict) else ()
    return set(own).union(*(keys(each, of_schema) for each in below))


def main():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft7Validator(SCHEMA)
    failures = [f"every_key.yaml: {error.message}" for error in validator.iter_errors(GOOD)]
    for preset in sorted((ROOT / "configs/presets").glob("*.yaml")):
        content = {"name": "preset", **yaml.safe_load(preset.read_text())}
        failures += [f"{preset.name}: {error.message}" for error in validator.iter_errors(content)]
    for example in sorted((ROOT / "examples").glob("*/*.yaml")):
        content = yaml.safe_load(example.read_text())
        if isinstance(content, dict) and "suspects" in content:
            failures += [f"{example}: {error.message}" for error in validator.iter_errors(content)]
    failures += [f"accepted: {'.'.join(path)} = {value!r}" for path, value in SLIPS
                 if validator.is_valid(with_value(path, value))]
    # A recorded curve stands instead of what else is said of a reference.
    failures += [f"every_key.yaml lacks {key}" for key in sorted(keys(SCHEMA, True) - keys(GOOD) - {"curve"})]
    print("\n".join(failures) or f"schema good: {len(SLIPS)} slips refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
