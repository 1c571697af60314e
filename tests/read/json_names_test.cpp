// Names in JSON files that runs leave, in every form that CANN's fusion_result.json has had.
#include "driver/read/names.hpp"

#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"

using bisectd::driver::read::FileNames;
using bisectd::driver::read::read_names;
namespace fs = std::filesystem;

namespace {

struct NamesFolder {
  NamesFolder() {
    std::string pattern = (fs::temp_directory_path() / "bisectd-names-[x]-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~NamesFolder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  fs::path path;
};

std::string listed(const FileNames& names) {
  std::string text;
  for (const auto& [key, count] : names.counts) text += key.name + "=" + std::to_string(count) + " ";
  return text;
}

constexpr const char* kFired = "**/*_fusion/{name}/effect_times";
const std::string kGraph =
    R"("graph_fusion": {"A": {"effect_times": "1", "match_times": "1"}, "Never": {"effect_times": "0"}})";
const std::string kUb = R"("ub_fusion": {"B": {"effect_times": "3", "repository_hit_times": "0"}})";

}  // namespace

TEST_CASE("fired passes are found in a dictionary, a list and objects one after the other") {
  const NamesFolder folder;
  for (const std::string& text :
       {"{\"session_and_graph_id_0_0\": {" + kGraph + "," + kUb + "}, \"session_and_graph_id_0_1\": {" + kGraph + "}}",
        "[{\"graphId\": \"0\", " + kGraph + "}, {" + kGraph + "," + kUb + "}]",
        "{" + kGraph + "}\n{" + kGraph + "," + kUb + "}\n"}) {
    CAPTURE(text);
    folder.write("fusion_result.json", text);
    const FileNames names = read_names(folder.path, {"fusion_result.json", kFired});
    CHECK(names.found);
    CHECK(listed(names) == "A=2 B=1 ");
  }
}

TEST_CASE("several files are read together, in folders whose names are not known") {
  const NamesFolder folder;
  folder.write("FE/17/fusion_result.json", "{" + kGraph + "}");
  folder.write("FE/18/fusion_result.json", "{" + kUb + "}");
  CHECK(listed(read_names(folder.path, {"FE/*/fusion_result.json", kFired})) == "A=1 B=1 ");
}

TEST_CASE("names are keys or items of a list") {
  const NamesFolder folder;
  folder.write(
      "ops.json",
      R"({"used": {"ops": ["relu", 3, "gelu", "relu"]}, "table": {"add": true, "mul": false, "sub": 0, "div": ""}})");
  CHECK(listed(read_names(folder.path, {"ops.json", "used/ops/{name}"})) == "gelu=1 relu=2 ");
  CHECK(listed(read_names(folder.path, {"ops.json", "table/{name}"})) == "add=1 ");
}

TEST_CASE("a file that is not there or is no JSON says nothing of any name") {
  const NamesFolder folder;
  CHECK_FALSE(read_names(folder.path, {"gone.json", "{name}"}).found);
  folder.write("torn.json", "{" + kGraph + "}{\"graph_fusion\": {");
  const FileNames torn = read_names(folder.path, {"torn.json", kFired});
  CHECK_FALSE(torn.found);
  CHECK_THAT(torn.problem, Catch::Matchers::StartsWith("torn.json is not JSON: "));
  folder.write("empty.json", "");
  CHECK_FALSE(read_names(folder.path, {"empty.json", "{name}"}).found);
}
