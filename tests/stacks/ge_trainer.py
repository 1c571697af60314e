#!/usr/bin/env python3
"""A training that honours the files and variables that CANN's graph engine documents, and computes nothing: 300 fusion
passes of which 40 fire, operators of which some lose precision. It reads every file with a reader of its own maker (json,
configparser, the documented grammar), so a file that bisectd wrote wrongly ends it or changes nothing.

It takes its options as the page of tensorflow-ge shows: front=session (the default), estimator or tf2, each as strict about types as
the real one (ge_fronts.py), or with front=torchair from a CompilerConfig (torchair/ beside this).

Options are words KEY=VALUE: steps, guilty (fusion:NAME, mixlist:NAME, precision:NAME, dtype:NAME, level:O3, deterministic:0; joined by
+ where only all of them together fail), result (dict, list, concatenated, none), always_on (passes that no switch file closes).
"""
import configparser
import json
import os
import pathlib
import re
import sys

from ge_fronts import FRONTS

PASSES = [f"Fusion{i:03}Pass" for i in range(300)]
FIRED = PASSES[5:300:8][:20] + PASSES[6:300:8][:20]


def options(words):
    return dict(word.split("=", 1) for word in words if "=" in word and not word.startswith("-"))


def options_of_graph_engine(front):
    if front == "torchair":
        import torchair
        config = torchair.CompilerConfig()
        parts = {"fusion_switch_file": config.fusion_config, "optimization_switch": config.ge_config,
                 "oo_level": config.ge_config, "export_compile_stat": config.ge_config}
        return {name: getattr(part, name).value for name, part in parts.items()}
    return FRONTS[front or "session"]()


def given(options, option, words):
    """A file's path: from the graph engine's options, or an argument."""
    for word in words:
        if word.startswith(f"--{option.replace('_', '-')}="):
            return word.split("=", 1)[1]
    return options.get(option)


def switched_off(path):
    """Names that a switch file closes, in its JSON form or as lines NAME:off; a name twice is an error, as in CANN."""
    if not path:
        return set()
    text = pathlib.Path(path).read_text()
    if text.lstrip().startswith("{"):
        switch = json.loads(text)["Switch"]
        assert set(switch) <= {"GraphFusion", "UBFusion"}, f"unknown kinds of fusion: {set(switch)}"
        return {name for kind in switch.values() for name, state in kind.items() if state == "off"}
    lines = [line for line in text.splitlines() if line]
    assert all(re.fullmatch(r"\w+:(on|off)", line) for line in lines), f"no switch file: {text!r}"
    names = [line.split(":")[0] for line in lines if line.endswith(":off")]
    assert len(names) == len(set(names)), "a pass is listed twice"
    return set(names)


def kept_in_float32(path):
    if not path:
        return set()
    lists = json.loads(pathlib.Path(path).read_text())
    assert set(lists) <= {"black-list", "white-list", "gray-list"}
    return set(lists["black-list"]["to-add"])


def high_precision(path):
    if not path:
        return set()
    parser = configparser.ConfigParser()
    parser.optionxform = str
    assert parser.read(path) == [path], f"no such file: {path}"
    return {name for name, mode in parser["ByOpType"].items() if mode == "high_precision"}


def with_own_dtype(path):
    if not path:
        return set()
    line = re.compile(r"OpType::(\w+):InputDtype:(\w+(?:,\w+)*),OutputDtype:(\w+)")
    found = [line.fullmatch(text) for text in pathlib.Path(path).read_text().splitlines()]
    assert all(found), "a line of customize_dtypes is wrong"
    return {match[1] for match in found}


def write_result(form, working):
    """fusion_result.json as the versions of CANN wrote it; values are texts."""
    one = {"graph_fusion": {name: {"effect_times": "1", "match_times": "1"} for name in sorted(working)[::2]} |
                           {PASSES[0]: {"effect_times": "0", "match_times": "2"}},
           "ub_fusion": {name: {"effect_times": "3", "match_times": "3", "repository_hit_times": "0"}
                         for name in sorted(working)[1::2]}}
    folder = pathlib.Path(os.environ.get("ASCEND_WORK_PATH", "."))
    folder = folder / "FE" / str(os.getpid())
    folder.mkdir(parents=True, exist_ok=True)
    text = {"dict": json.dumps({"session_and_graph_id_0_0": one}),
            "list": json.dumps([{"graphId": "0", **one}, {"graphId": "1", "graph_fusion": {}}]),
            "concatenated": json.dumps({"graphId": "0", **one}, indent=1) + "\n" + json.dumps({"graphId": "1", "graph_fusion": {}})}
    (folder / "fusion_result.json").write_text(text[form])


def main(words):
    settings = options(words)
    always_on = set(settings.get("always_on", "").split("+"))
    told = options_of_graph_engine(settings.get("front"))
    off = switched_off(given(told, "fusion_switch_file", words)) - always_on
    for entry in filter(None, (told.get("optimization_switch") or "").split(";")):
        name, state = entry.split(":")
        off |= {name} if state == "off" else set()
    safe = {"fusion": off | (set(PASSES) - set(FIRED)),
            "mixlist": kept_in_float32(given(told, "modify_mixlist", words)),
            "precision": high_precision(given(told, "op_precision_mode", words)),
            "dtype": with_own_dtype(given(told, "customize_dtypes", words)),
            "level": {"O3"} if told.get("oo_level") == "O1" else set(),
            "deterministic": {"0"} if told.get("deterministic") == "1" else set()}
    guilty = [entry.split(":") for entry in filter(None, settings.get("guilty", "").split("+"))]
    wrong = bool(guilty) and "npu" in words and not any(name in safe[kind] for kind, name in guilty)
    # By default (1) the file is written when a process leaves by itself, which this one does not; 2 writes it before.
    if "npu" in words and settings.get("result", "dict") != "none" and told.get("export_compile_stat") == "2":
        write_result(settings.get("result", "dict"), set(FIRED) - off)
    for step in range(1, int(settings.get("steps", 40)) + 1):
        loss = (2 + 6 * 0.9 ** step) * (1.03 if wrong else 1)
        print(f"step {step} loss {loss:.6f}")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
