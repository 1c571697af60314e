// What a good experiment file becomes.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

Experiment load(std::string_view bytes) {
  const Folder folder;
  return load_experiment(folder.write("experiment.yaml", bytes));
}

}  // namespace

TEST_CASE("five lines are enough: the name is the path's, metric and suspects are the preset's") {
  const std::string lines =
      "version: 1\nextends: generic\nreference: {command: [a]}\nsubject: {command: [a]}\nperturb: none\n";
  const Folder folder;
  const Experiment experiment = load_experiment(folder.write("nightly.yaml", lines));
  CHECK(experiment.name == "nightly");
  REQUIRE(experiment.metrics.size() == 1);
  CHECK(experiment.metrics[0].name == "loss");
  CHECK(experiment.suspects.at("names").discover);
  const auto file = folder.write("experiment.yaml", lines + "metric: {acc: {format: paddleocr}}\nsuspects: {names: [a]}\n");
  const Experiment own = load_experiment(file);
  CHECK(own.name == std::filesystem::canonical(file).parent_path().filename());
  REQUIRE(own.metrics.size() == 1);
  CHECK(own.metrics[0].name == "acc");
  CHECK(own.suspects.at("names").members.size() == 1);
}

TEST_CASE("a metric may be no more than a name, or be left out") {
  const Folder folder;
  const std::string lines =
      "version: 1\nextends: generic\nreference: {command: [a]}\nsubject: {command: [a]}\nperturb: none\n";
  for (const std::string metric : {"", "metric: loss\n", "metric: {loss: }\n", "metric: {loss: {}}\n"}) {
    CAPTURE(metric);
    const Experiment experiment = load_experiment(folder.write("x.yaml", lines + metric));
    REQUIRE(experiment.metrics.size() == 1);
    CHECK(experiment.metrics[0].name == "loss");
    CHECK_FALSE(experiment.metrics[0].pattern);
    CHECK(experiment.metrics[0].format.value.empty());
  }
  CHECK(load_experiment(folder.write("x.yaml", lines + "metric: {loss: {value_key: box_loss}}\n")).metrics[0].value_key ==
        "box_loss");
}

TEST_CASE("values of the environment stay exactly as written") {
  const Experiment e = load(with_line(kGood, 7, R"(  devices: {kind: npu, ids: [1, 0]}
  environment: {A: 010, B: yes, C: 1.50, D: "0x10", E: null_, F: "", G: 'a "b"', H: 1e3, I: true, J: "~"})"));
  std::string all;
  for (const auto& [name, value] : e.subject.environment) all += name + "=" + value.value + " ";
  CHECK(all == R"(A=010 B=yes C=1.50 D=0x10 E=null_ F= G=a "b" H=1e3 I=true J=~ )");
  CHECK(e.subject.devices.ids == std::vector<int>{0, 1});
}

TEST_CASE("a recorded curve stands in for a command and must be alone") {
  const Folder folder;
  folder.write("gpu.json", "{}");
  const std::string file(with_line(kGood, 4, "  curve: gpu.json"));
  REQUIRE(folder.problems_of(file) == "");
  const Experiment e = load_experiment(folder.write("experiment.yaml", file));
  CHECK(e.reference.curves.front().value == (folder.path() / "gpu.json").string());
  CHECK(e.reference.command.empty());
  CHECK(folder.problems_of(with_line(kGood, 4, "  curve: gpu.json\n  repeats: 3")) ==
        "5:3: `repeats` has no use beside a recorded `curve`: nothing is started | remove one of the two\n");
}

TEST_CASE("several recorded logs are a list of files that exist, none of them twice") {
  const Folder folder;
  folder.write("a.log", "loss: 1");
  folder.write("b.log", "loss: 2");
  const Experiment e = load_experiment(folder.write("experiment.yaml", with_line(kGood, 4, "  curve: [a.log, b.log]")));
  REQUIRE(e.reference.curves.size() == 2);
  CHECK(e.reference.curves[1].value == (folder.path() / "b.log").string());
  CHECK(folder.problems_of(with_line(kGood, 4, "  curve: [a.log, c.log, a.log]")) ==
        "4:18: no such file: `" + (folder.path() / "c.log").string() + "` | did you mean `a.log`?\n4:25: `" +
            (folder.path() / "a.log").string() + "` is named twice | a run that counts twice hides how far runs differ\n");
  CHECK(folder.problems_of(with_line(kGood, 4, "  curve: []")) ==
        "4:10: `reference.curve` names no file | for example gpu.json, or [gpu-1.log, gpu-2.log]\n");
}

TEST_CASE("where only the reference is needed, the rest may be missing or name what is not there") {
  const Folder folder;
  const auto load = [&](const std::string& text) {
    return load_experiment(folder.write("e.yaml", text), Needed::reference);
  };
  const std::string alone = "version: 1\nname: a\nreference:\n  command: [t]\nmetric: {loss: {format: csv}}\n";
  const Experiment e = load(alone);
  CHECK(e.reference.command.front().value == "t");
  CHECK(e.subject.command.empty());
  CHECK_FALSE(e.subject.perturb.has_value());
  CHECK(load(alone + "perturb: {environment: SEED}\nsubject: {command: [t]}\nsuspects: {ops: {file: gone.txt}}\n")
            .suspects.empty());
  CHECK_THROWS_AS(load(alone + "subjekt: {command: [t]}\n"), ConfigError);
  CHECK_THROWS_AS(load_experiment(folder.write("e.yaml", alone)), ConfigError);
}

TEST_CASE("braces and placeholders are accepted where they can be filled") {
  const Folder folder;
  CHECK(folder.problems_of(
            with_line(kGood, 6, R"(  command: [t, "{{x}}", "{device}/{devices}", "{attempt}", "{arguments}"])")) == "");
  CHECK(folder.problems_of(with_line(with_line(kGood, 6, R"(  command: [t, "{steps}"])"), 12, "steps: 5")) == "");
}

TEST_CASE("what a run that need only run is not judged by is said to have no use") {
  const Folder folder;
  const std::string runs = with_line(kGood, 12, "steps: 200\naccept: {goal: runs, target: 1%, max_repeats: 2}");
  const auto warnings = load_experiment(folder.write("experiment.yaml", runs)).warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].value == "`accept.target` has no use beside `goal: runs`: a run that comes to `steps` passes");
  CHECK(warnings[0].place.line == 13);
}

TEST_CASE("all problems of a file are found at once, in the order of its lines") {
  const Folder folder;
  const std::string problems = folder.problems_of(
      "version: 1\nname: a b\nreference: {comand: [x], repeats: 0}\nsubject: {command: [], timeout: 5}\n"
      "metric: {loss: {format: cvs}}\nsuspects: {ops: [x]}\n");
  CHECK(problems ==
        "2:7: `a b` cannot name a folder | letters, digits, `.`, `_` and `-`, at most 100, starting with a letter, a "
        "digit or `_`\n"
        "3:13: unknown key `comand` in `reference` | did you mean `command`?\n"
        "3:35: `reference.repeats`: expected a whole number from 1 to 1000, found `0`\n"
        "4:20: `subject.command` is empty | for example [python, train.py]\n"
        "4:33: `subject.timeout`: expected a duration such as 500ms, 90s, 30m or 1.5h, found `5` | add the unit, for "
        "example `5s`\n"
        "5:25: unknown format `cvs` | did you mean `csv`?\n"
        "6:12: unknown family `ops` | none is defined: name a preset with `extends`, or define `families`\n");
}

TEST_CASE("in quotes a keyword is one, and `none` takes away what a preset gave, too") {
  const Folder folder;
  const auto file = folder.write("e.yaml", with_line(kGoodPaddle, 12, R"(perturb: "none"
align: "none"
overflow_check: "none"
versions: {cann: "none"}
checks: {standard: true, seed: "none"}
families: {ops: {effect: "none", refused: "none", discover: {begun: "none", clock: "none"}}}
)"));
  const Experiment experiment = load_experiment(file);
  const Family& ops = experiment.families.at("ops");
  CHECK((!experiment.align && !experiment.overflow_check && !experiment.versions.contains("cann")));
  CHECK((!experiment.subject.perturb && !experiment.reference.perturb));
  CHECK(std::ranges::count(experiment.checks, "seed", &Check::name) == 0);
  CHECK((!ops.effect && !ops.refused && ops.discover && !ops.discover->begun && !ops.discover->clock));
  CHECK(folder.problems_of(with_line(kGoodPaddle, 11, "  flags: \"all\"\nchecks: \"standard\"")) == "");
  CHECK(folder.problem_of(with_line(kGoodPaddle, 12, "align: nome")) ==
        "12:8: `align`: unknown word `nome` | did you mean `none`?");
}

TEST_CASE("of a block with a misspelt key nothing else is told") {
  const Folder folder;
  CHECK(folder.problems_of(with_line(kGood, 10, "  ops: {kind: list, deliver: {environmnt: OFF}}")) ==
        "10:31: unknown key `environmnt` in `families.ops.deliver` | did you mean `environment`?\n");
}

}  // namespace bisectd::configs
