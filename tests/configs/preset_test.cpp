// The shipped presets, with the log lines that Paddle really writes.
#include <re2/re2.h>

#include <filesystem>

#include "configs/names.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

Experiment paddle(const std::string& preset) {
  const Folder folder;
  return load_experiment(
      folder.write("e.yaml", with_line(with_line(kGoodPaddle, 3, "extends: " + preset), 11, "  ops: [relu]")));
}

/// The groups `name` and, where there is one, `detail` that the pattern finds in a line.
std::string found(const std::string& pattern, const std::string& line) {
  const RE2 regex(pattern);
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(regex.NumberOfCapturingGroups()) + 1);
  if (!regex.Match(line, 0, line.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) return "";
  std::string text;
  for (const char* name : {"name", "detail"})
    if (const auto group = regex.NamedCapturingGroups().find(name); group != regex.NamedCapturingGroups().end())
      text += groups[static_cast<std::size_t>(group->second)].as_string() + " ";
  return text;
}

}  // namespace

TEST_CASE("every shipped preset loads and is documented") {
  const std::vector<std::string> names = preset_names();
  CHECK(std::ranges::count(names, "paddle-npu") == 1);
  const Folder folder;
  for (const std::string& preset : names) {
    CAPTURE(preset);
    const std::string text =
        with_line(with_line(kGoodPaddle, 3, "extends: " + preset), 8, "  devices: {kind: npu, ids: [0, 1]}");
    const std::string own = "families: {own: {kind: list, deliver: {environment: OWN}}}\nsuspects:\n  own: [x]\n";
    const Experiment experiment = load_experiment(folder.write("e.yaml", text.substr(0, text.find("suspects")) + own));
    CHECK(std::filesystem::exists(data_folder() / "presets" / (preset + ".md")));
    // Two attempts that share compiled kernels would show each other's settings.
    if (preset != "generic" && preset != "torch-cuda" && preset != "trainers")
      CHECK(experiment.subject.environment.at("ASCEND_CACHE_PATH").value == "{attempt}");
    for (const auto& [family_name, family] : experiment.families) {
      CAPTURE(family_name);
      if (family_name != "own") CHECK_FALSE(family.description.empty());
      for (const auto& [name, toggle] : family.toggles) {
        CAPTURE(name);
        CHECK_FALSE(toggle.description.empty());
        CHECK_FALSE(toggle.source.empty());
      }
    }
  }
}

TEST_CASE("the fall-back line names operator and dtype, only for the device") {
  const Family ops = paddle("paddle-npu").families.at("ops");
  const std::string head = "I1121 11:21:42.250061  5275 kernel_factory.cc:289] ";
  const std::string line = head +
                           "missing npu kernel: pad3d, expected_kernel_key:(npu, Undefined(AnyLayout), float32), "
                           "fallbacking to CPU one!";
  CHECK(found(ops.effect->log.value, line) == "pad3d float32 ");
  CHECK(found(ops.discover->elsewhere->value, line) == "pad3d ");
  const std::string older =
      head + "phi missing npu kernel: conv2d_grad, expected_kernel_key:(npu, NCHW, float16), fallback to CPU one!";
  CHECK(found(ops.effect->log.value, older) == "conv2d_grad float16 ");
  const std::string on_cpu = head +
                             "missing CPU kernel: pad3d, expected_kernel_key:(CPU, Undefined(AnyLayout), float32), "
                             "fallbacking to CPU one!";
  CHECK(found(ops.effect->log.value, on_cpu) == "");
  CHECK(found(ops.discover->elsewhere->value, on_cpu) == "");
}

TEST_CASE("kernel launches are discovered and refusals are recognised") {
  const Family ops = paddle("paddle-npu").families.at("ops");
  CHECK(ops.discover->environment.at("FLAGS_benchmark") == "1");
  CHECK(found(ops.discover->ran.value, "batch_norm_grad kernel run finish.") == "batch_norm_grad ");
  CHECK(found(ops.refused->value,
              "(NotFound) The kernel with key (npu, Undefined(AnyLayout), bfloat16) of kernel `round` is not "
              "registered and fail to fallback to CPU one. Selected wrong DataType `bfloat16`.") == "round ");
}

TEST_CASE("a broken name table is refused with its line") {
  const Folder folder;
  const auto what = [&](std::string_view bytes) -> std::string {
    try {
      read_name_table(folder.write("t.tsv", bytes), "written");
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
    return "";
  };
  CHECK(what("# c\nlog\twritten\na\tb\nc\tc\n") == "");
  CHECK(what("log\tother\na\tb\n") == "t.tsv has no column `written`; it has log, other");
  CHECK(what("log\twritten\na\tb\na\n") == "t.tsv:3: expected 2 names");
  CHECK(what("log\twritten\na\t\n") == "t.tsv:2: expected 2 names");
  CHECK(what("log\twritten\n") == "t.tsv holds no names");
  const NameTable table = read_name_table(folder.write("t.tsv", "log\twritten\nb\tx\na\tx\nc\tc\n"), "written");
  CHECK(table.known_names == std::vector<std::string>{"c", "x"});
  CHECK(table.written_name == std::map<std::string, std::string>{{"a", "x"}, {"b", "x"}});
}

TEST_CASE("a table of one's own lies beside the file that names it") {
  const Folder folder;
  folder.write("my/ops.tsv", "log\twritten\nconv\tConv2D\n");
  const auto with = [](const std::string& member) {
    return with_line(
        with_line(kGood, 10,
                  "  ops: {kind: list, deliver: {environment: OFF}, names: {table: my/ops.tsv, written: written}}"),
        11, "suspects: {ops: [" + member + "]}");
  };
  CHECK(folder.problems_of(with("Conv2D")) == "");
  CHECK(folder.problem_of(with("conv")) ==
        "11:18: family `ops` knows no `conv` | `conv` is its name in logs; this list needs `Conv2D`");
}

}  // namespace bisectd::configs
