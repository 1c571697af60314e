// How names reach the training, and how a run shows its members: right blocks, and wrong ones named with their place.
#include "configs/delivery.hpp"

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string family(const std::string& keys) { return with_line(kGood, 10, "  ops: {kind: list, " + keys + "}"); }
std::string deliver(const std::string& keys) { return family("deliver: {" + keys + "}"); }

Family loaded(const std::string& text) {
  const Folder folder;
  return load_experiment(folder.write("e.yaml", text)).families.at("ops");
}

}  // namespace

TEST_CASE("a JSON template is read with its types and its order") {
  const Family ops =
      loaded(deliver(R"(environment: F, file: {name: f.cfg, json: {z: {"{name}": "off"}, a: [1, true, off, "2", ~]}})"));
  CHECK(ops.deliver.file->content == R"({"z":{"{name}":"off"},"a":[1,true,"off","2",null]})");
  CHECK(ops.deliver.file->is_json);
}

TEST_CASE("a wrong delivery is named with its place") {
  const Folder folder;
  const std::vector<std::pair<const char*, const char*>> cases{
      {"environment: F, file: {name: f, text: \"{nmae}=1\"}",
       "10:69: unknown placeholder `{nmae}` | did you mean `{name}`?"},
      {"environment: F, file: {name: f, json: {a: \"{value}\"}}",
       "10:73: unknown placeholder `{value}` | known: {name}, {names}; for braces themselves write `{{` and `}}`"},
      {"environment: F, file: {name: f, json: {a: \"{name}\"}}",
       "10:73: `{name}` stands neither in a key nor in an item of a list: nothing can be repeated | write `{names}` for all "
       "of them in one text"},
      {"environment: F, file: {name: f, text: off}",
       "10:53: `families.ops.deliver.file` holds none of {name}, {names}: nothing would be delivered"},
      {"environment: F, file: {name: ../f, text: \"{name}\"}",
       "10:60: `../f` is no plain file name | letters, digits, `.`, `_` and `-`"},
      {"environment: F, file: {name: stdout.log, text: \"{name}\"}",
       "10:60: `families.ops.deliver.file.name`: `stdout.log` belongs to bisectd"},
      {"environment: F, file: {name: f}", "10:53: `families.ops.deliver.file` needs either `text` or `json`"},
      {"environment: F, file: {text: \"{name}\"}",
       "10:53: `name` is missing in `families.ops.deliver.file` | of the file in the attempt's folder"},
      {"argument: \"--off={names}\", file: {name: f, text: \"{name}\"}",
       "10:41: `families.ops.deliver.argument` lacks {file} | for example --off={file}"},
      {"environment: F, value: \"off\"", "10:54: `families.ops.deliver.value` lacks {names} | for example --off={names}"},
      {"environment: F, each: \"off\"", "10:53: `families.ops.deliver.each` lacks {name} | for example --off={name}"},
  };
  for (const auto& [keys, problem] : cases) {
    CAPTURE(keys);
    CHECK(folder.problem_of(deliver(keys)) == problem);
  }
}

TEST_CASE("a name that the delivery would break is refused") {
  const Folder folder;
  const std::string text = with_line(deliver(R"(environment: F, each: "{name}:off", separator: ";")"), 11,
                                     "suspects: {ops: [a:b, c;d, \"e f\", 'g\"h']}");
  CHECK(folder.problems_of(text) ==
        "11:18: name `a:b` holds `:`, which ends a name where it is delivered\n"
        "11:23: name `c;d` holds the separator `;`\n"
        "11:28: name `e f` holds white space\n"
        "11:35: name `g\"h` holds a quote\n");
  const std::string ini =
      with_line(deliver(R"(environment: F, file: {name: f, text: "{name}=1"})"), 11, "suspects: {ops: [a=b, c,d]}");
  CHECK(folder.problems_of(ini) == "11:18: name `a=b` holds `=`, which ends a name where it is delivered\n");
}

TEST_CASE("two suspects must not write one file, and nothing is written over") {
  const Folder folder;
  const std::string two =
      with_line(with_line(kGood, 10, R"(  ops: {kind: list, deliver: {environment: F, file: {name: f, text: "{name}"}}}
  more: {kind: list, deliver: {environment: G, file: {name: f, text: "{name}"}}})"),
                12, "suspects: {ops: [a], more: [b]}");
  CHECK(folder.problem_of(two) ==
        "0:0: `f` is written by two suspects: family more and family ops | several switches of one file of the training are "
        "keys "
        "of it: `config: FILE, key: KEY`");
  const std::string own = with_line(deliver(R"(environment: F, value: "--off={names}")"), 7, "  environment: {F: --fast}");
  CHECK(folder.problem_of(own) ==
        "7:20: family ops writes `F` anew, so its value here would be lost | move what it says into the family's template, "
        "or leave the family out");
}

TEST_CASE("a name in two families is warned of") {
  const Folder folder;
  const std::string text =
      with_line(with_line(kGood, 10,
                          "  ops: {kind: list, deliver: {environment: F}}\n  more: {kind: list, deliver: {environment: G}}"),
                12, "suspects: {ops: [a, b], more: [b]}");
  const Experiment experiment = load_experiment(folder.write("e.yaml", text));
  REQUIRE(experiment.warnings.size() == 2);  // the other of repeats that are not perturbed
  CHECK(experiment.warnings[1].value == "`b` is a member of family `more` too: each counts as a suspect of its own");
}

TEST_CASE("two families that would discover the same members are refused") {
  const Folder folder;
  const auto with = [&](const char* more) {
    return with_line(
        with_line(kGood, 10,
                  std::string("  ops: {kind: list, deliver: {environment: F}, discover: {ran: 'ran (?P<name>x)'}}\n"
                              "  more: {kind: list, deliver: {environment: G}, discover: {") +
                      more + "}}"),
        12, "suspects: {ops: {discover: true}, more: {discover: true}}");
  };
  CHECK(
      folder.problem_of(with("ran: 'ran (?P<name>x)'")) ==
      "12:17: families `more` and `ops` discover the same members | search one of them, or name the members of one by hand");
  CHECK(folder.problems_of(with("ran: 'did (?P<name>x)'")) == "");
}

TEST_CASE("a wrong ladder, and a value outside it, are named with their place") {
  const Folder folder;
  const std::string good =
      with_line(with_line(kGood, 10, "  scale: {kind: ladder, deliver: {environment: S}, values: [1, 64, 1e3]}"), 11,
                "suspects: {scale: all}");
  CHECK(folder.problems_of(good) == "");
  CHECK(folder.problem_of(with_line(good, 11, "suspects: {scale: [64, 65]}")) ==
        "11:24: `65` is not on the ladder `scale` | its values: 1, 64, 1e3");
  CHECK(folder.problem_of(with_line(good, 11, "suspects: {scale: {likely: {scale: 2}}}")) ==
        "11:28: `suspects.scale.likely` has no use: a ladder is one suspect");
  const std::vector<std::pair<const char*, const char*>> cases{
      {"deliver: {environment: S}, values: [1]", "10:60: `families.scale.values`: a ladder has two values or more"},
      {"deliver: {environment: S}, values: [1, 1]", "10:64: `families.scale.values`: `1` does not ascend"},
      {"deliver: {environment: S}, values: [1, high]", "10:64: `families.scale.values`: expected a number, found `high`"},
      {"deliver: {environment: S}", "10:10: `values` is missing in `families.scale` | two or more numbers, ascending"},
      {"deliver: {environment: S}, values: [1, dynamc]",
       "10:64: `families.scale.values`: expected a number, found `dynamc` | did you mean `dynamic`?"},
      {"deliver: {environment: S}, values: [1, dynamic, 2]",
       "10:73: `families.scale.values`: `2` stands behind a value that is no number | numbers first, ascending; then "
       "`dynamic` and phases"},
      {"deliver: {environment: S}, values: [1, dynamic, dynamic]",
       "10:73: `families.scale.values`: `dynamic` stands there twice"},
      {"deliver: {environment: S}, values: [1, \"0:64,x:1\"]",
       "10:64: `families.scale.values`: the step in `x:1`: expected a whole number, found `x` | phases are steps and "
       "values, ascending: \"0:65536,1000:4096\""},
      {"deliver: {environment: S}, values: [1, \"9:64,9:1\"]",
       "10:64: `families.scale.values`: the step in `9:1` does not ascend | phases are steps and values, ascending: "
       "\"0:65536,1000:4096\""},
      {"deliver: {environment: S}, values: [1, \"0:64,5\"]",
       "10:64: `families.scale.values`: `5` has no colon between a step and a value | phases are steps and values, "
       "ascending: \"0:65536,1000:4096\""},
      {"deliver: {environment: S}, values: [1, \"0:lots\"]",
       "10:64: `families.scale.values`: the value in `0:lots`: expected a number, found `lots` | phases are steps and "
       "values, ascending: \"0:65536,1000:4096\""},
      {"deliver: {environment: S}, values: [1, 2], delivered_as: {dynamic: 0}",
       "10:83: `families.scale.delivered_as`: `dynamic` is not among the values"},
      {"deliver: {environment: S}, values: [1, dynamic], delivered_as: {dynamc: 0}",
       "10:89: `families.scale.delivered_as`: `dynamc` is not among the values | did you mean `dynamic`?"},
      {"deliver: {environment: S}, values: [1, dynamic], suspect: dynamc",
       "10:83: `families.scale.suspect`: `dynamc` is not among the values | did you mean `dynamic`?"},
      {"deliver: {environment: S}, values: [1, 2], delivered_as: [1]",
       "10:82: `families.scale.delivered_as`: expected keys and values, found a list"},
      {"deliver: {argument: --scale}, values: [1, 2]",
       "10:45: `families.scale.deliver.argument` lacks {value} | for example --off={value}"},
  };
  for (const auto& [keys, problem] : cases) {
    CAPTURE(keys);
    CHECK(folder.problem_of(with_line(good, 10, "  scale: {kind: ladder, " + std::string(keys) + "}")) == problem);
  }
}

TEST_CASE("a wrong check for overflows is named with its place") {
  const Folder folder;
  const std::string good = with_line(kGood, 12, "overflow_check: {environment: {CHECK: 1}, first: 'in (?P<value>.+)'}");
  CHECK(folder.problems_of(good) == "");
  CHECK(load_experiment(folder.write("good.yaml", good)).overflow_check->environment ==
        std::map<std::string, std::string>{{"CHECK", "1"}});
  CHECK_FALSE(load_experiment(folder.write("none.yaml", with_line(kGood, 12, "overflow_check: none"))).overflow_check);
  const std::vector<std::pair<const char*, const char*>> cases{
      {"overflow_check: yes", "12:17: `overflow_check`: expected keys and values, found a text"},
      {"overflow_check: nonee", "12:17: `overflow_check`: unknown word `nonee` | did you mean `none`?"},
      {"align: nonee", "12:8: `align`: unknown word `nonee` | did you mean `none`?"},
      {"overflow_check: {first: '(?P<value>x)'}",
       "12:17: `environment` is missing in `overflow_check` | variables that turn the framework's own check on; presets of "
       "PaddlePaddle and PyTorch have them"},
      {"overflow_check: {environment: {A: 1}}",
       "12:17: `first` is missing in `overflow_check` | RE2 with the group `value`: the line that names the operator"},
      {"overflow_check: {environment: {A: 1}, first: x}",
       "12:46: `overflow_check.first` lacks the group `value` | put `(?P<value>...)` around the part that is meant"},
      {"overflow_check: {enviroment: {A: 1}, first: '(?P<value>x)'}",
       "12:18: unknown key `enviroment` in `overflow_check` | did you mean `environment`?"},
  };
  for (const auto& [line, problem] : cases) {
    CAPTURE(line);
    CHECK(folder.problem_of(with_line(kGood, 12, line)) == problem);
  }
}

TEST_CASE("a wrong discovery, effect or exception is named with its place") {
  const Folder folder;
  const std::string list = "deliver: {environment: OFF}, ";
  const std::vector<std::pair<const char*, const char*>> cases{
      {"discover: {file: f.json}",
       "10:67: `families.ops.discover` needs `file` and `members` together | members: the path of the names in the file, "
       "for example **/{name}"},
      {"discover: {members: \"{name}\"}",
       "10:70: `families.ops.discover` needs `file` and `members` together | members: the path of the names in the file, "
       "for example **/{name}"},
      {"discover: {file: /f.json, members: \"{name}\"}",
       "10:67: `families.ops.discover.file` must lie inside the attempt's own folder | let the training write to {attempt}, "
       "and name the file relative to it"},
      {"discover: {file: f, members: \"a//{name}\"}",
       "10:79: `families.ops.discover.members` is no path with the segment {name} in it | for example "
       "**/graph_fusion/{name}/effect_times"},
      {"discover: {file: f, members: \"a/{name}s\"}",
       "10:79: `families.ops.discover.members` is no path with the segment {name} in it | for example "
       "**/graph_fusion/{name}/effect_times"},
      {"discover: {ran: '(?P<name>x)', file: f, members: \"{name}\"}",
       "10:60: `families.ops.discover` needs one of `ran` (a pattern over the output of a run), `file` with `members` (what "
       "a run leaves) and `command` (asks the framework)"},
      {"discover: {command: []}", "10:70: `families.ops.discover.command` is empty"},
      {"discover: {command: [ask, '{attempt}']}",
       "10:76: unknown placeholder `{attempt}` | known: {python}, {presets}, {kind}; for braces themselves write `{{` and "
       "`}}`"},
      {"effect: {environment: {A: \"{atempt}\"}, log: '(?P<name>x)'}",
       "10:76: unknown placeholder `{atempt}` | did you mean `{attempt}`?"},
      {"never_off: {names: [a, a], instead: x}", "10:73: `a` is named twice"},
      {"never_off: {instead: x}", "10:61: `names` is missing in `families.ops.never_off` | or a `file` of them"},
      {"watched: the compiler", "10:59: `families.ops.watched` needs `discover`, whose run looks at the training"},
      {"never_off: {names: [a]}", "10:61: `instead` is missing in `families.ops.never_off` | what would neutralise them"},
  };
  for (const auto& [keys, problem] : cases) {
    CAPTURE(keys);
    CHECK(folder.problem_of(family(list + keys)) == problem);
  }
}

}  // namespace bisectd::configs
