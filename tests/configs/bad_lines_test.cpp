// One line of a good experiment is replaced by a wrong one: the first problem must name the exact place, the wrong word
// and the right one.
#include <string>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

struct Case {
  int line;
  const char* text;
  const char* problem;
};

void check(std::string_view good, const std::vector<Case>& cases) {
  const Folder folder;
  REQUIRE(folder.problems_of(good) == "");
  for (const Case& wrong : cases) {
    CAPTURE(wrong.text);
    // A * in the expectation stands for a path of this machine.
    const std::string expected = wrong.problem;
    const std::size_t star = expected.find('*');
    const std::string found = folder.problem_of(with_line(good, wrong.line, wrong.text));
    if (star == std::string::npos) {
      CHECK(found == expected);
    } else {
      CHECK(found.substr(0, star) == expected.substr(0, star));
      CHECK_THAT(found, Catch::Matchers::EndsWith(expected.substr(star + 1)));
    }
  }
}

}  // namespace

TEST_CASE("a wrong top-level line is named with its place") {
  check(
      kGood,
      {
          {1, "version: 2", "1:10: version 2 is not known to this bisectd | write `version: 1`"},
          {1, "version: 01",
           "1:10: `version`: expected a whole number, found `01` | remove the leading zero; YAML may read it as octal"},
          {1, "version: \"1\"", "1:10: `version`: expected a whole number, found the quoted text `1` | remove the quotes"},
          {1, "# no version", "2:1: `version` is missing | the first line of an experiment file is `version: 1`"},
          {2, "name: ../up",
           "2:7: `../up` cannot name a folder | letters, digits, `.`, `_` and `-`, at most 100, starting with a letter, a "
           "digit or `_`"},
          {2, "name:", "2:1: `name` has no value | give it one or remove the line"},
          {2, "nam: trial", "2:1: unknown key `nam` | did you mean `name`?"},
          {2, "name: a\nname: b", "3:1: key `name` appears twice | it is first set in line 2, column 1"},
          {12, "launcher: slurm", "12:1: unknown key `launcher`*"},
          {12, "check: {}", "12:1: unknown key `check` | did you mean `checks`?"},
          {12, "soak: 2000",
           "12:7: `soak` needs `steps`: the fix is run for longer than a trial | add, for example, `steps: 200`"},
          {12, "steps: 200\nsoak: 200",
           "13:7: `soak: 200` is no longer than a trial of 200 steps | for example `soak: 2000`"},
          {12, "versions: {cann: {}}",
           "12:18: `versions.cann` needs one of `package`, `file` and `command` | for example {package: paddlepaddle}"},
          {12, "versions: {cann: {package: a, file: b}}",
           "12:18: `versions.cann` needs one of `package`, `file` and `command` | for example {package: paddlepaddle}"},
          {12, "versions: {cann: {pakage: a}}", "12:19: unknown key `pakage` in `versions.cann` | did you mean `package`?"},
          {12, "versions: {cann: {file: a, pattern: 'v=(.*)'}}",
           "12:37: `versions.cann.pattern` lacks the group `value` | put `(?P<value>...)` around the part that is meant"},
          {12, "steps: 0", "12:8: `steps`: expected a whole number from 1 to 1000000000000, found `0`"},
          {12, "extends: padle-npu", "12:10: no preset `padle-npu` | did you mean `paddle-npu`?"},
          {12, "extends: pytorch", "12:10: no preset `pytorch` | known: *; a file of your own ends in .yaml"},
      });
}

TEST_CASE("a wrong line of a side is named with its place") {
  check(
      kGood,
      {
          {4, "  comand: [python]", "4:3: unknown key `comand` in `reference` | did you mean `command`?"},
          {4, "  command: []", "4:12: `reference.command` is empty | for example [python, train.py]"},
          {4, "  command: [python train.py]",
           "4:13: the program's name `python train.py` holds a space | put commas between the words, or quotes around a "
           "name that really has one"},
          {4, "  command: [\"\"]", "4:13: the program's name is empty"},
          {4, "  command: python train.py",
           "4:12: `reference.command`: expected a list, found the text `python train.py` | write a list: [python, "
           "train.py]"},
          {4, "  command: [python, [a]]", "4:21: `reference.command`: expected a text, found a list"},
          {4, "  command: [python, \"{arguments}\"]",
           "4:21: `{arguments}` has no use in the reference: nothing is neutralised there"},
          {4, "  repeats: 3",
           "4:3: `command` is missing in `reference` | how the trusted run is started; or give a recorded `curve`"},
          {4, "  command: [a]\n  repeats: 0",
           "5:12: `reference.repeats`: expected a whole number from 1 to 1000, found `0`"},
          {4, "  curve: gone.json", "4:10: no such file: *"},
          {6, "  command: [python, \"{devcies}\"]", "6:21: unknown placeholder `{devcies}` | did you mean `{devices}`?"},
          {6, "  command: [python, \"{x}\"]",
           "6:21: unknown placeholder `{x}` | known: {devices}, {device}, {visible_devices}, {steps}, {attempt}, "
           "{arguments}, {config}; for braces themselves write `{{` and `}}`"},
          {6, "  command: [python, \"a{\"]", "6:21: a single `{` | write `{{` for the character itself"},
          {6, "  command: [python, \"a}\"]", "6:21: a single `}` | write `}}` for the character itself"},
          {6, "  command: [python, \"--x={arguments}\"]",
           "6:21: `{arguments}` must be an element of its own | it becomes zero or more elements of the command"},
          {6, "  command: [python, \"{steps}\"]",
           "6:21: `{steps}` stays empty: the file names no `steps` | add, for example, `steps: 1000`"},
          {4, "  command: [python, \"{device}\"]", "4:21: `{device}` stays empty: `reference.devices` names no ids"},
          {7, "  devices: {kind: npu}",
           "7:12: `subject.devices`: devices of kind `npu` need `ids` | for example devices: {ids: [0]}"},
          {7, "  devices: {kind: npu, ids: [0, 1, 0]}", "7:36: device 0 is named twice"},
          {7, "  devices: {kind: npu, ids: [0, -1]}",
           "7:33: `subject.devices.ids`: expected a whole number from 0 to 65535, found `-1`"},
          {7, "  devices: {kind: npu, ids: 0}",
           "7:29: `subject.devices.ids`: expected a list of device numbers | for example [0, 1]"},
          {7, "  devices: {kind: npu, ids: []}",
           "7:29: `subject.devices.ids`: expected a list of device numbers | for example [0, 1]"},
          {7, "  devices: {kind: n/p, ids: [0]}", "7:19: `n/p` is no kind of device | for example npu, gpu or cpu"},
          {7, "  devices: {ids: [0]}", "7:12: `kind` is missing in `subject.devices` | for example npu, gpu or cpu"},
          {7, "  devices: {kind: npu, ids: [0, 1, 2], per_trial: 2}",
           "7:51: 3 devices cannot be shared out 2 at a time | per_trial must divide the number of ids"},
          {7, "  devices: {kind: npu, ids: [0, 1], per_trial: 3}", "7:48: per_trial is 3, but there are 2 devices"},
          {7, "  devices: {kind: npu, ids: [0], visible_variable: A-B}",
           "7:52: `A-B` is no name for an environment variable | letters, digits and _ only"},
          {7, "  devices: {kind: npu, ids: [0]}\n  launch: {slurm: {gres: \"npu:1\"}}",
           "7:29: `subject.devices.ids` has no use with Slurm: a job brings its own devices | remove it"},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {}}",
           "8:19: `subject.launch.slurm` says no `gres`, and the job needs devices of kind `npu` | for example gres: "
           "\"npu:{per_trial}\""},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {gres: \"npu:1\", time: 1m}}",
           "8:41: `time` is less than 2m | Slurm counts whole minutes, and an attempt is ended one minute before its job "
           "would be"},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {gres: \"n pu\"}}",
           "8:26: `n pu` is no generic resource | for example npu:{per_trial}"},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {gres: \"npu:1\", arguments: [--array=1]}}",
           "8:47: `--array` is set by bisectd for every job | remove it here"},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {gres: \"npu:1\", arguments: [-o/tmp/x]}}",
           "8:47: `-o/tmp/x` is set by bisectd for every job | remove it here"},
          {7, "  devices: {kind: npu}\n  launch: {slurm: {gres: \"npu:1\", arguments: [-A, team]}}",
           "8:51: `team` would be taken for the job's script | write an option and its value as one element, for example "
           "--account=team"},
          {7, "  launch: slurm",
           "7:11: `subject.launch`: `slurm` is no way to launch | local, or {slurm: {partition: npu, gres: "
           "\"npu:{per_trial}\"}}"},
          {7, "  devices: npu", "7:12: `subject.devices`: expected keys and values, found a text"},
          {7, "  environment: {A: }", "7:17: `A` has no value | write \"\" for an empty one, or list it in `unset`"},
          {7, "  environment: {A B: 1}", "7:17: `A B` is no name for an environment variable | letters, digits and _ only"},
          {7, "  environment: {BISECTD_ATTEMPT: 1}", "7:17: `BISECTD_ATTEMPT` belongs to bisectd, which finds strays by it"},
          {7, "  environment: {BISECTD_METRICS_FILE: x}",
           "7:17: `BISECTD_METRICS_FILE` is set by bisectd for every attempt"},
          {7, "  log: ../train.log",
           "7:8: `log` must lie inside the attempt's own folder, so that attempts do not share it | let the training write "
           "to {attempt}, and name the file relative to it"},
          {7, "  environment: {A: \"{arguments}\"}", "7:20: `{arguments}` can only stand in a command"},
          {7, "  environment: {A: 1}\n  unset: [B, A]", "8:14: `A` is set in `environment` too | remove one of them"},
          {7, "  unset: [B, B]", "7:14: `B` is named twice"},
          {7, "  timeout: 30",
           "7:12: `subject.timeout`: expected a duration such as 500ms, 90s, 30m or 1.5h, found `30` | add the unit, for "
           "example `30s`"},
          {7, "  timeout: 0s", "7:12: `timeout` must be longer than 0"},
          {7, "  stall: -5m", "7:10: `subject.stall`: expected a duration from 0s to 30d, found `-5m`"},
          {7, "  repeats: 3",
           "7:3: unknown key `repeats` in `subject` | known here: command, devices, directory, environment, exit_grace, "
           "launch, log, perturb, setup, stall, timeout, unset"},
          {7, "  devices: {kind: npu, ids: [0]}\n  environment: {ASCEND_RT_VISIBLE_DEVICES: 0}",
           "8:44: `ASCEND_RT_VISIBLE_DEVICES` is set for every trial from `devices.ids` | remove it here, or write "
           "`visible_variable: none` under `devices`"},
      });
}

TEST_CASE("a wrong line of the settings is named with its place") {
  check(
      kGood,
      {
          {12, "checks: {a b: {command: [x]}}",
           "12:10: `a b` is no name for a check | for example dataset or mixed_precision"},
          {12, "checks: {data: {}}",
           "12:16: `checks.data` needs either `command` or `pattern` | for example {command: [md5sum, train_list.txt]}"},
          {12, "checks: {data: {command: []}}", "12:26: `checks.data.command` is empty"},
          {12, "checks: {data: {pattern: 'x'}}",
           "12:26: `checks.data.pattern` lacks the group `value` | put `(?P<value>...)` around the part that is meant"},
          {12, "checks: {data: {pattern: []}}", "12:26: `checks.data.pattern` is empty"},
          {12, "checks: {data: {pattern: '(?P<value>x)', after: '(?P<a>x)'}}",
           "12:49: `checks.data.after`: unknown group `a` | no group is used here; write (?:...)"},
          {12, "checks: {data: {command: [x], per_device: true}}",
           "12:43: `per_device` has no use beside a command | it belongs to a `pattern`"},
          {12, "checks: standard",
           "12:9: there are no standard checks: they are a preset's | add, for example, `extends: paddle-npu`"},
          {12, "checks: standart", "12:9: `checks`: unknown word `standart` | did you mean `standard`?"},
          {12, "checks: some",
           "12:9: `checks`: unknown word `some` | `standard`, or a map of checks, for example {standard: true, dataset: "
           "{command: [md5sum, train_list.txt]}}"},
          {12, "accept: {step_time: 10%}",
           "12:21: `accept.step_time`: expected an increase such as +10%, found `10%` | write it with + and %"},
          {12, "accept: {step_time: +2000%}",
           "12:21: `accept.step_time`: expected an increase of at most +1000%, found `+2000%`"},
          {12, "accept: {standard: mindformer}", "12:20: unknown standard `mindformer` | did you mean `mindformers`?"},
          {12, "accept: {standard: mine}", "12:20: unknown standard `mine` | known: mindformers, msprobe, verl, mindspeed"},
          {12, "hold: {seed: 1024}",
           "12:14: nothing says how `seed` is held | a preset does, for example `extends: paddle-npu`; or `hold_by: {seed: "
           "{VARIABLE: value}}`"},
          {12, "hold: {seed: -1}", "12:14: `hold.seed`: expected a whole number from 0 to 4294967295, found `-1`"},
          {12, "hold: {}", "12:7: `hold` holds nothing | for example {seed: 1024, deterministic: true}"},
          {12, "hold_by: {seed: {A: '{valeu}'}}", "12:21: unknown placeholder `{valeu}` | did you mean `{value}`?"},
          {12, "hold_by: {deterministic: {A: '{value}'}}",
           "12:30: unknown placeholder `{value}` | known: {attempt}, {presets}, {and_inherited}; for braces themselves "
           "write `{{` and `}}`"},
          {8, "metric: {}", "8:9: `metric` names none | for example `metric: loss`"},
          {8, "metric: {grad_norm: {format: csv}}",
           "8:9: `metric` names only `grad_norm`, which is watched but not judged | name a loss or a score too"},
          {8, "metric: box loss", "8:9: `box loss` is no name for a metric | for example loss or acc"},
          {8, "metric: {loss: {format: csv, pattern: '(?P<value>x)'}}",
           "8:39: `metric.loss` has `format` and `pattern` | either is enough"},
          {8, "metric: {loss: {format: padleocr}}", "8:25: unknown format `padleocr` | did you mean `paddleocr`?"},
          {8, "metric: {loss: {format: zzz}}",
           "8:25: unknown format `zzz` | known: paddleocr, paddleocr-eval, paddleseg, paddleseg-eval, paddledetection, "
           "paddleclas, paddlenlp, megatron, mindspeed, mindformers, huggingface, jsonl, csv, tfevents, vdlrecords"},
          {8, "metric: {loss: {format: tfevents}}",
           "8:25: format tfevents needs `file`: it is not printed | the file, or the folder it is written to, relative to "
           "{attempt}"},
          {8, "metric: {loss: {format: tfevents, file: runs, step_key: i}}",
           "8:57: `step_key` is only for the formats jsonl and csv"},
          {8, "metric: {loss: {pattern: 'loss (x'}}",
           "8:26: `metric.loss.pattern` is no regular expression: missing ): loss (x | RE2 syntax: no look-around, no "
           "back-references; groups are named (?P<name>...)"},
          {8, "metric: {loss: {pattern: 'a(?=b)'}}",
           "8:26: `metric.loss.pattern` is no regular expression: invalid perl operator: (?= | RE2 syntax: no look-around, "
           "no back-references; groups are named (?P<name>...)"},
          {8, "metric: {loss: {pattern: 'loss (.*)'}}",
           "8:26: `metric.loss.pattern` lacks the group `value` | put `(?P<value>...)` around the part that is meant"},
          {8, "metric: {loss: {pattern: '(?P<value>.)(?P<setp>.)'}}",
           "8:26: `metric.loss.pattern`: unknown group `setp` | did you mean `(?P<step>...)`?"},
          {8, "metric: {loss: {format: csv, file: /tmp/x}}",
           "8:36: a metric's file must lie inside the attempt's own folder | let the training write to {attempt}, and name "
           "the file relative to it"},
          {8, "metric: {loss: {format: csv, file: a/../../x}}",
           "8:36: a metric's file must lie inside the attempt's own folder | let the training write to {attempt}, and name "
           "the file relative to it"},
          {8, "metric: {loss: {format: paddleocr, step_key: i}}", "8:46: `step_key` is only for the formats jsonl and csv"},
          {8, "metric: {loss: {pattern: '(?P<value>.)', value_key: i}}", "8:53: `value_key` has no use beside a pattern"},
          {12, "accept: {target: 0.5}",
           "12:18: `accept.target`: expected a percentage such as 0.5%, found `0.5` | write `0.5%`, or `50%` if a fraction "
           "is meant"},
          {12, "accept: {target: 0%}", "12:18: `accept.target`: expected a percentage above 0% and below 100%, found `0%`"},
          {12, "accept: {trim: 50%}", "12:16: `accept.trim` must be below 50%: it is cut from both ends"},
          {12, "accept: {grey: 0.5}", "12:16: `accept.grey`: expected a number from 1 to 100, found `0.5`"},
          {12, "accept: {worse_only: on}", "12:22: `accept.worse_only`: expected true or false, found `on`"},
          {12, "search: {confidence: 40%}", "12:22: `search.confidence` must be at least 50%"},
          {12, "search: {budget: {trials: 0}}",
           "12:27: `search.budget.trials`: expected a whole number from 1 to 1000000, found `0`"},
          {12, "search: {budget: {hours: 0}}", "12:26: `search.budget.hours` must be more than 0"},
          {12, "search: {budget: 8h}", "12:18: `search.budget`: expected keys and values, found a text"},
          {12, "search: {seed: -1}",
           "12:16: `search.seed`: expected a whole number from 0 to 9223372036854775807, found `-1`"},
          {12, "search: {engine: orderd}", "12:18: unknown engine `orderd` | did you mean `ordered`?"},
          {12, "search: {fix: fast}", "12:15: unknown fix `fast` | did you mean `fastest`?"},
      });
}

TEST_CASE("a wrong line of a family or of the suspects is named with its place") {
  check(
      kGood,
      {
          {10, "  ops: {kind: lst, deliver: {environment: OFF}}",
           "10:15: unknown kind of family `lst` | did you mean `list`?"},
          {10, "  ops: {deliver: {environment: OFF}}", "10:8: `kind` is missing in `families.ops` | list, toggle or ladder"},
          {10, "  ops: {kind: list}", "10:8: `deliver` is missing in `families.ops`"},
          {10, "  ops: {kind: list, deliver: {}}",
           "10:30: `families.ops.deliver` needs one of `environment`, `argument` and `config` | a variable's name, an "
           "element "
           "of the command, or the training's own configuration file and a `key` of it"},
          {10, "  ops: {kind: list, deliver: {environment: A, argument: \"{names}\"}}",
           "10:57: `families.ops.deliver` needs one of `environment`, `argument` and `config` | a variable's name, an "
           "element "
           "of the command, or the training's own configuration file and a `key` of it"},
          {10, "  ops: {kind: list, deliver: {argument: --off}}",
           "10:41: `families.ops.deliver.argument` lacks {names} | for example --off={names}"},
          {10, "  ops: {kind: list, deliver: {argument: \"--off={names}\"}}",
           "6:13: `subject.command` lacks the element \"{arguments}\": family ops is neutralised by an argument | put it "
           "where the training takes options"},
          {10, "  ops: {kind: list, deliver: {environment: OFF, separator: x}}",
           "10:60: a separator is punctuation, such as `,` or `;`"},
          {10, "  ops: {kind: list, deliver: {environment: OFF}, toggles: {}}",
           "10:50: unknown key `toggles` in `families.ops` | known here: deliver, description, discover, effect, "
           "environment, kind, members, names, never_off, parts, refused, watched"},
          {10, "  ops: {kind: list, deliver: {environment: OFF}, effect: {log: 'x'}}",
           "10:64: `families.ops.effect.log` lacks the group `name` | put `(?P<name>...)` around the part that is meant"},
          {10, "  ops: {kind: list, deliver: {environment: OFF}, names: {table: gone.tsv, written: a}}",
           "10:65: no such table: *"},
          {10, "  ops: {kind: list, deliver: {environment: OFF}, names: {table: paddle-ops.tsv, written: a}}",
           "10:90: *paddle-ops.tsv has no column `a`; it has phi, fluid"},
          {10, "  ops: {kind: toggle, toggles: {}}", "10:32: `families.ops.toggles` names none"},
          {10, "  ops: {kind: toggle, toggles: {a: {environment: A}}}",
           "10:36: `safe` is missing in `families.ops.toggles.a` | the value when neutralised, or `unset`"},
          {10, "  ops: {kind: toggle, toggles: {a: {argument: x, safe: 1}}}",
           "10:47: `families.ops.toggles.a.argument` lacks {value} | for example --off={value}"},
          {11, "suspects: {}", "11:11: `suspects` names no family | known: ops"},
          {11, "suspects: {opps: [relu]}", "11:12: unknown family `opps` | did you mean `ops`?"},
          {11, "suspects: {ops: []}", "11:17: `suspects.ops` is empty"},
          {11, "suspects: {ops: all}",
           "11:17: family `ops` has no fixed members, so not all of them can be meant | write a list of names"},
          {11, "suspects: {ops: relu}", "11:17: `suspects.ops`: expected all, a list or keys and values, found `relu`"},
          {11, "suspects: {ops: }", "11:12: `suspects.ops`: expected all, a list or keys and values, found nothing"},
          {11, "suspects: {ops: {discover: true}}",
           "11:28: family `ops` cannot discover its members | name them in `members`"},
          {11, "suspects: {ops: {exclude: [relu]}}",
           "11:17: `suspects.ops` names no suspect | add `members: [...]` or `file: NAMES`"},
          {11, "suspects: {ops: [relu, relu]}", "11:24: `relu` is named twice"},
          {11, "suspects: {ops: [relu, \"a b\"]}", "11:24: name `a b` holds white space"},
          {11, "suspects: {ops: [\"relu,gelu\"]}", "11:18: name `relu,gelu` holds the separator `,`"},
          {11, "suspects: {ops: [\"'relu'\"]}", "11:18: name `'relu'` holds a quote"},
          {11, "suspects: {ops: [\u201Crelu\u201D]}", "11:18: name `\u201Crelu\u201D` holds a curly quote"},
          {11, "suspects: {ops: [\"\"]}", "11:18: name `` is empty"},
          {11, "suspects: {ops: {members: [relu, gelu], exclude: [gelu]}}", "11:51: `gelu` is a member and excluded"},
          {11, "suspects: {ops: {members: [relu], likely: {relu: 0}}}",
           "11:50: odds must be more than 0 | to leave a suspect out, use `exclude`"},
          {11, "suspects: {ops: {members: [relu], price: {relu: 0}}}",
           "11:49: price must be more than 0 | a member that costs next to nothing has a small price, say 0.01"},
      });
}

TEST_CASE("operator names of a preset are checked in every slip that was seen in the field") {
  check(
      kGoodPaddle,
      {
          {11, "  ops: [mask_select]", "11:9: family `ops` knows no `mask_select` | did you mean `masked_select`?"},
          {11, "  ops: [relu_]",
           "11:9: family `ops` knows no `relu_` | write `relu`: the in-place form has no name of its own"},
          {11, "  ops: [add]",
           "11:9: family `ops` knows no `add` | `add` is its name in logs; this list needs `elementwise_add`"},
          {11, "  ops: [cross_entropy_with_sofmax_grad]",
           "11:9: family `ops` knows no `cross_entropy_with_sofmax_grad` | did you mean `softmax_with_cross_entropy_grad`?"},
          {11, "  ops: [\" pad3d\"]", "11:9: name ` pad3d` holds white space | did you mean `pad3d`?"},
          {11, "  ops: [\u201Cset_value\u201D]", "11:9: name `\u201Cset_value\u201D` holds a curly quote"},
          {11, "  ops: {discover: true, exclude: [fetchh]}",
           "11:35: family `ops` knows no `fetchh` | did you mean `fetch`?"},
          {11, "  ops: {discover: true, likely: {pad3: 2}}", "11:34: family `ops` knows no `pad3` | did you mean `pad`?"},
          {11, "  flags: [FLAGS_npu_jit_compil]",
           "11:11: family `flags` has no switch `FLAGS_npu_jit_compil` | did you mean `FLAGS_npu_jit_compile`?"},
          {11, "  ops: all",
           "11:8: family `ops` has no fixed members, so not all of them can be meant | write {discover: true}"},
          {8, "  devices: {kind: npu}",
           "8:12: `subject.devices`: devices of kind `npu` need `ids` | for example devices: {ids: [0]}"},
          {8, "  devices: {ids: [0]}\n  environment: {FLAGS_use_stride_kernel: 1}",
           "9:42: family `ops` needs FLAGS_use_stride_kernel=0 | remove it here, or change `families.ops.environment`"},
          {8, "  devices: {ids: [0]}\n  unset: [FLAGS_use_stride_kernel]",
           "7:3: family `ops` needs FLAGS_use_stride_kernel=0, but `subject.unset` takes it away"},
          {8, "  devices: {ids: [0]}\n  environment: {CUSTOM_DEVICE_BLACK_LIST: \"pad3d, pad3d_grad\"}",
           "9:43: name ` pad3d_grad` holds white space | did you mean `pad3d_grad`?"},
          {8, "  devices: {ids: [0]}\n  environment: {CUSTOM_DEVICE_BLACK_LIST: mask_select}",
           "9:43: family `ops` knows no `mask_select` | did you mean `masked_select`?"},
          {12, "families: {flags: {toggles: {FLAGS_npu_jit_compile: {safe: [0]}}}}",
           "12:60: `families.flags.toggles.FLAGS_npu_jit_compile.safe`: expected a text, found a list"},
      });
}

}  // namespace bisectd::configs
