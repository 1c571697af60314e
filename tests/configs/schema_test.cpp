// The schema for editors, made from the same declarations as the loader. The loader's side is read from its own hints: it
// lists the right keys when it meets one that is like none of them.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "configs/file_bytes.hpp"
#include "configs/formats.hpp"
#include "configs/schema.hpp"
#include "tests/catch.hpp"
#include "tests/configs/folder.hpp"

namespace bisectd::configs {
namespace {

const nlohmann::json& schema() {
  static const auto parsed =
      nlohmann::json::parse(std::ifstream(std::string(BISECTD_SOURCE_FOLDER) + "/configs/schema/experiment.schema.json"));
  return parsed;
}

std::string schema_keys(const std::string& pointer) {
  std::string keys;
  for (const auto& [key, value] : schema().at(nlohmann::json::json_pointer(pointer + "/properties")).items())
    keys += (keys.empty() ? "" : ", ") + key;  // nlohmann sorts keys
  return keys;
}

std::string loader_keys(const std::string& text) {
  const Folder folder;
  const std::string problems = folder.problems_of(text);
  const std::string before = "unknown key `qqqqqqqq`", label = "known here: ";
  const std::size_t at = problems.find(label, problems.find(before));
  REQUIRE(at != std::string::npos);
  return problems.substr(at + label.size(), problems.find('\n', at) - at - label.size());
}

const std::string kList = "  ops: {kind: list, deliver: {environment: OFF}, ";
const std::string kToggle = "  ops: {kind: toggle, toggles: {s: {environment: S, safe: 0, ";

}  // namespace

TEST_CASE("the schema in git is what the program prints") {
  CHECK(bytes_in(std::string(BISECTD_SOURCE_FOLDER) + "/configs/schema/experiment.schema.json") == experiment_schema());
}

TEST_CASE("each key says whether its change touches what was judged; what nobody decided about does") {
  for (const auto& [path, touches] : std::vector<std::pair<std::vector<std::string>, Touches>>{
           {{"accept", "target"}, Touches::verdicts},
           {{"accept", "max_repeats"}, Touches::nothing},
           {{"subject", "stall"}, Touches::unless_runs},
           {{"reference", "devices", "ids"}, Touches::nothing},
           {{"reference", "devices", "kind"}, Touches::verdicts},
           {{"subject", "launch", "slurm", "time"}, Touches::nothing},
           {{"subject", "launch", "slurm", "gres"}, Touches::verdicts},
           {{"families", "ops", "discover", "clock", "stamp"}, Touches::nothing},
           {{"families", "ops", "effect", "file"}, Touches::nothing},
           {{"families", "ops", "effect", "environment", "A"}, Touches::verdicts},
           {{"families", "flags", "toggles", "a", "safe"}, Touches::verdicts},
           {{"search", "budget", "trials"}, Touches::nothing},
           {{"metric", "loss", "format"}, Touches::verdicts},
           {{"what", "nobody", "knows"}, Touches::verdicts}}) {
    CAPTURE(path);
    CHECK(touched_by(path) == touches);
  }
}

TEST_CASE("the schema's family holds the keys of all kinds") {
  const std::string both = loader_keys(with_line(kGood, 10, kList + "qqqqqqqq: 1}"));
  CHECK(loader_keys(with_line(kGood, 10, kToggle + "}}, qqqqqqqq: 1}")) ==
        "description, effect, environment, kind, toggles");
  CHECK(loader_keys(with_line(kGood, 10, "  ops: {kind: ladder, deliver: {environment: S}, values: [1, 2], qqqqqqqq: 1}")) ==
        "deliver, delivered_as, description, effect, environment, kind, suspect, values");
  std::string all = both;
  all.insert(all.find("description"), "delivered_as, ");
  all.insert(all.find("watched"), "suspect, toggles, values, ");
  CHECK(all == schema_keys("/definitions/family"));
}

TEST_CASE("the schema names the metric formats that exist") {
  const auto& named = schema().at("definitions").at("metric").at("properties").at("format").at("enum");
  REQUIRE(named.size() == metric_formats().size());
  for (std::size_t i = 0; i < named.size(); ++i) CHECK(named[i].get<std::string>() == metric_formats()[i].name);
}

}  // namespace bisectd::configs
