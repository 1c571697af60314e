// The schema for editors knows exactly the keys and words that the loader knows. The loader's side is read from its own
// hints: it lists the right keys when it meets one that is like none of them.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "configs/formats.hpp"
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

TEST_CASE("schema and loader know the same keys") {
  const std::map<std::string, std::string> blocks{
      {"", with_line(kGood, 12, "qqqqqqqq: 1")},
      {"/definitions/reference", with_line(kGood, 4, "  qqqqqqqq: 1")},
      {"/definitions/subject", with_line(kGood, 7, "  qqqqqqqq: 1")},
      {"/definitions/perturbation", with_line(kGood, 12, "perturb: {qqqqqqqq: 1}")},
      {"/definitions/devices", with_line(kGood, 7, "  devices: {qqqqqqqq: 1}")},
      {"/definitions/metric", with_line(kGood, 8, "metric: {loss: {qqqqqqqq: 1}}")},
      {"/definitions/accept", with_line(kGood, 12, "accept: {qqqqqqqq: 1}")},
      {"/properties/hold", with_line(kGood, 12, "hold: {qqqqqqqq: 1}")},
      {"/properties/hold_by", with_line(kGood, 12, "hold_by: {qqqqqqqq: {}}")},
      {"/definitions/check", with_line(kGood, 12, "checks: {data: {qqqqqqqq: 1}}")},
      {"/definitions/search", with_line(kGood, 12, "search: {qqqqqqqq: 1}")},
      {"/definitions/search/properties/budget", with_line(kGood, 12, "search: {budget: {qqqqqqqq: 1}}")},
      {"/definitions/selection/anyOf/2", with_line(kGood, 11, "suspects: {ops: {qqqqqqqq: 1}}")},
      {"/definitions/deliver", with_line(kGood, 10, "  ops: {kind: list, deliver: {qqqqqqqq: 1}}")},
      {"/definitions/discover", with_line(kGood, 10, kList + "discover: {qqqqqqqq: 1}}")},
      {"/definitions/effect", with_line(kGood, 10, kList + "effect: {qqqqqqqq: 1}}")},
      {"/definitions/file", with_line(kGood, 10, "  ops: {kind: list, deliver: {environment: F, file: {qqqqqqqq: 1}}}")},
      {"/definitions/never_off", with_line(kGood, 10, kList + "never_off: {qqqqqqqq: 1}}")},
      {"/definitions/table", with_line(kGood, 10, kList + "names: {qqqqqqqq: 1}}")},
      {"/definitions/toggle", with_line(kGood, 10, kToggle + "qqqqqqqq: 1}}}")},
  };
  for (const auto& [pointer, text] : blocks) {
    CAPTURE(pointer);
    CHECK(loader_keys(text) == schema_keys(pointer));
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
  REQUIRE(named.size() == kMetricFormats.size());
  for (std::size_t i = 0; i < named.size(); ++i) CHECK(named[i].get<std::string>() == kMetricFormats[i].name);
}

}  // namespace bisectd::configs
