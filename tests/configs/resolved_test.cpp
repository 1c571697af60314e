// The resolved experiment: stable, complete enough to see a change, silent about secrets.
#include "configs/resolved.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

#include "configs/file_bytes.hpp"
#include "configs/yaml_tree.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

std::string resolved(std::string_view bytes) {
  const Folder folder;
  return resolved_yaml(load_experiment(folder.write("e.yaml", bytes)));
}
std::string with_environment(const std::string& environment) {
  return resolved(with_line(kGood, 7, "  devices: {kind: npu, ids: [0, 1]}\n  environment: {" + environment + "}"));
}

std::string resolved(const std::string& preset, const std::string& suspects) {
  return resolved("version: 1\nname: golden\nextends: " + preset +
                  "\nreference: {command: [python, train.py]}\nsubject:\n  command: [python, train.py, \"{arguments}\"]\n"
                  "  devices: {kind: npu, ids: [0]}\nchecks: standard\nsuspects:\n" +
                  suspects);
}

/// Experiments of a preset in which all of its families are searched, in as few as they can stand in together.
std::string all_families_of(const std::string& preset) {
  const auto families = load_families(preset);
  if (families.empty())
    return resolved(preset, "  ops: [relu]\nfamilies: {ops: {kind: list, deliver: {environment: OFF}}}\n");
  std::vector<std::string> rest, left;
  for (const auto& [name, family] : families) {
    const bool fixed = family.kind != FamilyKind::list || !family.members.empty();
    const std::string one = family.known_names.empty() ? "one" : family.known_names.front();
    rest.push_back("  " + name + (family.discover ? ": {discover: true}\n" : fixed ? ": all\n" : ": [" + one + "]\n"));
  }
  std::string all;
  for (; !rest.empty(); rest = std::exchange(left, {})) {
    std::string suspects = rest.front(), text = resolved(preset, suspects);
    for (auto next = rest.begin() + 1; next != rest.end(); ++next) try {
        text = resolved(preset, suspects + *next);
        suspects += *next;
      } catch (const ConfigError&) {
        left.push_back(*next);
      }
    all += text;
  }
  return all;
}

}  // namespace

TEST_CASE("what presets and a file with every key resolve to stays as it was") {
  // It is the key of `resume`: a run goes on only where it is the same. BISECTD_GOLDEN=1 writes the files anew.
  const std::filesystem::path here = std::filesystem::path(BISECTD_SOURCE_FOLDER) / "tests/configs";
  std::map<std::string, std::string> now{{"every_key", resolved_yaml(load_experiment(here / "every_key.yaml"))}};
  for (const std::string& preset : preset_names()) now[preset] = all_families_of(preset);
  for (const auto& [name, text] : now) {
    CAPTURE(name);
    const auto file = here / "golden" / (name + ".yaml");
    if (std::getenv("BISECTD_GOLDEN")) std::ofstream(file) << text;
    CHECK(bytes_in(file) == text);
  }
}

TEST_CASE("the same experiment gives the same text wherever it lies and however it is spelt") {
  const std::string text = resolved(kGood);
  CHECK(resolved(kGood) == text);
  CHECK(resolved(with_line(kGood, 7, "  timeout: 1h\n  devices:\n    ids: [1, 0]\n    kind: npu  # comment")) == text);
  CHECK(text.find("/tmp") == std::string::npos);
  const std::string every_key = std::string(BISECTD_SOURCE_FOLDER) + "/tests/configs/every_key.yaml";
  CHECK(resolved_yaml(load_experiment(every_key)).find(BISECTD_SOURCE_FOLDER) == std::string::npos);
}

TEST_CASE("a secret is not written, but its change is seen") {
  const std::string one = with_environment("API_TOKEN: hunter2");
  CHECK(one.find("hunter2") == std::string::npos);
  CHECK(one.find("API_TOKEN") != std::string::npos);
  CHECK(one == with_environment("API_TOKEN: hunter2"));
  CHECK(one != with_environment("API_TOKEN: hunter3"));
  CHECK(with_environment("PLAIN: hunter2").find("hunter2") != std::string::npos);
}

TEST_CASE("neither is one in a setup, in options of jobs or in the command of a check") {
  for (const char* const line :
       {"  devices: {kind: npu, ids: [0, 1]}\n  setup: export API_TOKEN=hunter2",
        "  devices: {kind: npu, per_trial: 1}\n  launch: {slurm: {gres: npu:1, arguments: "
        "[\"--export=ALL,API_TOKEN=hunter2\"]}}",
        "  devices: {kind: npu, ids: [0, 1]}\nchecks: {data: {command: [curl, \"https://me:hunter2@host\"]}}"}) {
    CAPTURE(line);
    const std::string one = with_line(kGood, 7, line);
    std::string other = one;
    other.replace(other.find("hunter2"), 7, "hunter3");
    CHECK(resolved(one).find("hunter2") == std::string::npos);
    CHECK(resolved(one) != resolved(other));
  }
}

TEST_CASE("the text is YAML that keeps odd values whole") {
  const std::string text = with_environment(R"(A: "yes", B: "a\n\"b\" # c", C: "{{x}}", D: "损")");
  Problems problems;
  const auto tree = parse_yaml(text, "r", problems);
  REQUIRE(tree);
  CHECK(problems.empty());
  std::string environment;
  for (const auto& top : tree->entries)
    for (const auto& side : top.value.entries)
      if (side.key == "environment")
        for (const auto& variable : side.value.entries) environment += variable.key + "=" + variable.value.text + ";";
  CHECK(environment == "A=yes;B=a\n\"b\" # c;C={{x}};D=损;");
}

}  // namespace bisectd::configs
