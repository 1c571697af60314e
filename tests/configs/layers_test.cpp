// Presets and files that an experiment extends.
#include "configs/layers.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

/// Points BISECTD_DATA at a folder for one test.
class Data {
 public:
  explicit Data(const std::filesystem::path& folder) {
    if (const char* given = std::getenv("BISECTD_DATA")) before_ = given;
    ::setenv("BISECTD_DATA", folder.c_str(), 1);
  }
  ~Data() {
    if (before_) ::setenv("BISECTD_DATA", before_->c_str(), 1);
    else ::unsetenv("BISECTD_DATA");
  }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

 private:
  std::optional<std::string> before_;  // the next test of the same process may be given its data so
};

std::string extending(const std::string& what) { return with_line(kGood, 12, "extends: " + what); }

}  // namespace

TEST_CASE("own keys override, maps merge, lists are replaced, places stay true") {
  const Folder folder;
  const auto base = folder.write("base.yaml", R"(version: 1
subject:
  environment: {A: base, B: base}
  unset: [X, Y]
  timeout: 7m
accept: {target: 1%, grey: 3}
)");
  const std::string own = with_line(extending("base.yaml"), 7,
                                    "  devices: {kind: npu, ids: [0]}\n  environment: {B: own, C: own}\n  unset: [Z]");
  const Experiment e = load_experiment(folder.write("experiment.yaml", own));
  CHECK(e.subject.environment.at("A").value == "base");
  CHECK(e.subject.environment.at("A").place.file == base);
  CHECK(e.subject.environment.at("A").place.line == 3);
  CHECK(e.subject.environment.at("B").value == "own");
  CHECK(e.subject.environment.at("B").place.line == 8);
  CHECK(e.subject.unset == std::vector<std::string>{"Z"});
  CHECK(e.subject.timeout == std::chrono::minutes(7));
  CHECK(e.accept.target == 0.01);
  CHECK(e.accept.grey == 3);
  CHECK(e.preset == "base.yaml");
}

TEST_CASE("a wrong value of a preset is shown in the preset") {
  const Folder folder;
  folder.write("base.yaml", "version: 1\naccept: {target: 5}\n");
  CHECK(folder.problem_of(extending("base.yaml")) ==
        "base.yaml:2:18: `accept.target`: expected a percentage such as 0.5%, found `5` | write it with %");
  folder.write("base.yaml", "accept: {target: 5%}\n");
  CHECK(folder.problem_of(extending("base.yaml")).substr(0, 18) == "base.yaml:1:1: `ve");
  folder.write("base.yaml", "");
  CHECK(folder.problem_of(extending("base.yaml")) == "base.yaml:0:0: the file is empty");
}

TEST_CASE("a chain is followed and a circle is refused") {
  const Folder folder;
  folder.write("a.yaml", "version: 1\nextends: deep/b.yaml\nsteps: 5\n");
  folder.write("deep/b.yaml", "version: 1\nextends: c.yaml\nsteps: 6\naccept: {grey: 4}\n");
  folder.write("deep/c.yaml", "version: 1\nsearch: {seed: 9}\n");
  const Experiment e = load_experiment(folder.write("experiment.yaml", extending("a.yaml")));
  CHECK(e.steps == 5);
  CHECK(e.accept.grey == 4);
  CHECK(e.search.seed == 9);
  folder.write("deep/c.yaml", "version: 1\nextends: ../a.yaml\n");
  CHECK(folder.problem_of(extending("a.yaml")) == "c.yaml:2:10: `../a.yaml` extends this file in turn");
  CHECK(folder.problem_of(extending("experiment.yaml")) == "12:10: `experiment.yaml` extends this file in turn");
}

TEST_CASE("a missing preset or file is named, with what exists") {
  const Folder folder;
  CHECK(folder.problem_of(extending("gone.yaml")).find("12:10: no such file: ") == 0);
  const Data data(folder.path());
  CHECK(preset_names().empty());
  folder.write("presets/mine.yaml", "version: 1\n");
  CHECK(preset_names() == std::vector<std::string>{"mine"});
  CHECK(folder.problem_of(extending("mien")) == "12:10: no preset `mien` | did you mean `mine`?");
  CHECK(folder.problem_of(extending("../presets/mine")) ==
        "12:10: no preset `../presets/mine` | known: mine; a file of your own ends in .yaml");
  CHECK(folder.problems_of(extending("mine")) == "");
}

TEST_CASE("the metric written in the file decides, not the one of what it extends") {
  const Folder folder;
  folder.write("base.yaml", "version: 1\nmetric: {acc: {format: csv}}\n");
  const Experiment e = load_experiment(folder.write("experiment.yaml", extending("base.yaml")));
  REQUIRE(e.metrics.size() == 2);
  CHECK(e.metrics[0].name == "loss");
}

}  // namespace bisectd::configs
