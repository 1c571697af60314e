// What the subject as it is really has, and checks across blocks.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

/// The settled switch `s` (variable S) described by `toggle` for a subject with `side` in its block.
Toggle settled(const std::string& toggle, const std::string& side) {
  const Folder folder;
  std::string text = with_line(
      kGood, 10, "  f: {kind: toggle, toggles: {s: {environment: S, " + toggle + "}, other: {environment: O, safe: '1'}}}");
  text = with_line(with_line(text, 11, "suspects: {f: all}"), 7, "  devices: {kind: npu, ids: [0]}" + side);
  return load_experiment(folder.write("e.yaml", text)).families.at("f").toggles.at("s");
}
bool is_suspect(const std::string& toggle, const std::string& side = "") {
  const Toggle t = settled(toggle, side);
  return t.suspect != t.safe;
}
const std::string kSet0 = "\n  environment: {S: 0}";
const std::string kSet1 = "\n  environment: {S: 1}";
const std::string kSetFalse = "\n  environment: {S: false}";
const std::string kUnset = "\n  unset: [S]";

}  // namespace

TEST_CASE("a switch is a suspect exactly if the subject does not have its safe value") {
  CHECK(is_suspect("safe: '0'"));
  CHECK_FALSE(is_suspect("safe: '0'", kSet0));
  CHECK(is_suspect("safe: '0'", kSet1));
  CHECK(is_suspect("safe: '0'", kSetFalse));
  CHECK_FALSE(is_suspect("safe: '0', also_safe: ['false']", kSetFalse));
  CHECK_FALSE(is_suspect("safe: '0', unset_means: '0'"));
  CHECK_FALSE(is_suspect("safe: '0', unset_means: 'false', also_safe: ['false']"));
  CHECK(is_suspect("safe: '0', unset_means: '1'"));
  CHECK(is_suspect("safe: '0', unset_means: '0'", kSet1));
  CHECK_FALSE(is_suspect("safe: unset"));
  CHECK(is_suspect("safe: unset", kSet1));
  CHECK_FALSE(is_suspect("safe: unset, unset_means: '1'", kSet1));
  CHECK_FALSE(is_suspect("safe: \"unset\""));  // a keyword in quotes, as JSON has to write it
}

TEST_CASE("the subject's own value comes before the preset's suspect value") {
  CHECK(settled("suspect: '7', safe: '0'", "").suspect == "7");
  CHECK(settled("suspect: '7', safe: '0'", kSet1).suspect == "1");
  CHECK(settled("suspect: '7', safe: '0'", kUnset).suspect == std::nullopt);
  CHECK_FALSE(is_suspect("suspect: '7', safe: '0'", kSet0));
  CHECK_FALSE(is_suspect("suspect: '7', safe: '0', unset_means: '0'", kUnset));
}

TEST_CASE("what the loader cannot know is settled later by the same rule") {
  Toggle toggle;
  toggle.deliver.environment = "S";
  toggle.suspect = "7";
  toggle.safe = "0";
  CHECK(settled_suspect(toggle, {}) == "7");
  CHECK(settled_suspect(toggle, {{"S", "1"}}) == "1");
  CHECK(settled_suspect(toggle, {{"S", "0"}}) == "0");
  toggle.deliver = {.argument = {"--s={value}"}};
  CHECK(settled_suspect(toggle, {{"S", "1"}}) == "7");
}

TEST_CASE("a variable that another family needs is held, not switched") {
  const Folder folder;
  const auto load = [&](const std::string& suspects) {
    return load_experiment(folder.write("e.yaml", with_line(kGoodPaddle, 11, suspects)));
  };
  const auto stride = [](const Experiment& e) { return e.families.at("flags").toggles.at("FLAGS_use_stride_kernel"); };
  const Toggle held = stride(load("  ops: {discover: true}\n  flags: all"));
  CHECK(held.suspect == held.safe);
  const Toggle free = stride(load("  flags: all"));
  CHECK(free.suspect == std::nullopt);
  CHECK(free.safe == "0");
}

TEST_CASE("two suspects cannot share a variable") {
  const Folder folder;
  const std::string text = with_line(with_line(kGood, 10,
                                               "  a: {kind: list, deliver: {environment: OFF}}\n"
                                               "  b: {kind: list, deliver: {environment: OFF}}"),
                                     12, "suspects: {a: [x], b: [y]}");
  CHECK(folder.problem_of(text) == "0:0: `OFF` is set by two suspects: family a and family b");
}

TEST_CASE("a search without anything to search is refused") {
  const Folder folder;
  const std::string text = with_line(kGood, 10, "  f: {kind: toggle, toggles: {s: {environment: S, safe: '0'}}}");
  const auto with = [&](const std::string& suspects) {
    return with_line(with_line(text, 11, suspects), 7, "  environment: {S: 0}");
  };
  CHECK(folder.problem_of(with("suspects: {f: all}")) ==
        "11:15: nothing to search: every switch is excluded, or has its safe value in the subject already");
  CHECK(folder.problem_of(with("suspects: {f: [s]}")) ==
        "11:15: nothing to search: every switch is excluded, or has its safe value in the subject already");
  CHECK(folder.problem_of(with_line(text, 11, "suspects: {f: {exclude: [s]}}")).find("11:15: nothing to search") == 0);
  CHECK(folder.problems_of(with_line(text, 11, "suspects: {f: all}")) == "");
}

TEST_CASE("a name that is right, but not of what the logs call so, is warned about") {
  const Folder folder;
  const Experiment e = load_experiment(folder.write("e.yaml", with_line(kGoodPaddle, 11, "  ops: [mean, relu]")));
  REQUIRE(e.warnings.size() == 1);
  CHECK(e.warnings[0].place.line == 11);
  CHECK(e.warnings[0].value == "`mean` is a right name, but not of what logs call `mean`: that is written `reduce_mean`");
}

TEST_CASE("a value that may hide the traces of a family is warned about") {
  const Folder folder;
  const auto warnings = [&](const std::string& value) {
    const std::string side = "  devices: {ids: [0]}\n  environment: {" + value + "}";
    return load_experiment(folder.write("e.yaml", with_line(kGoodPaddle, 8, side))).warnings;
  };
  CHECK(warnings("GLOG_v: 3").empty());
  CHECK(warnings("PYTHONPATH: /mine").empty());  // the preset's is put in front of it
  REQUIRE(warnings("GLOG_v: 0").size() == 1);
  CHECK(warnings("GLOG_v: 0")[0].value ==
        "family `ops` finds its traces in the log with GLOG_v=3; with this value it is not checked that a suspect was "
        "really switched off");
}

TEST_CASE("names that the subject lists itself may stay") {
  const Folder folder;
  CHECK(folder.problems_of(with_line(
            kGoodPaddle, 8, "  devices: {ids: [0]}\n  environment: {CUSTOM_DEVICE_BLACK_LIST: \"pad3d,pad3d_grad\"}")) ==
        "");
}

}  // namespace bisectd::configs
