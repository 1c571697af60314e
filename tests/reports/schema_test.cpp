// The published schema against real output, by the validator that users have: Python's jsonschema.
#include <cstdlib>
#include <fstream>

#include "reports/escape.hpp"
#include "reports/json.hpp"
#include "tests/catch.hpp"
#include "tests/reports/folder.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

namespace {

constexpr const char* kValidate = R"(
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for file in sys.argv[2:]:
    jsonschema.validate(json.load(open(file)), schema, cls=jsonschema.Draft7Validator)
)";

bool valid(const std::vector<std::string>& reports) {
  const Folder folder;
  std::ofstream(folder.path() / "validate.py") << kValidate;
  std::string command = "/usr/bin/python3 " + shell_word((folder.path() / "validate.py").string()) + " " +
                        shell_word(BISECTD_SOURCE_FOLDER "/configs/schema/report.schema.json");
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto file = folder.path() / std::to_string(i);
    std::ofstream(file, std::ios::binary) << reports[i];
    command += " " + shell_word(file.string());
  }
  return std::system((command + " 2> " + shell_word((folder.path() / "errors").string())).c_str()) == 0;
}

}  // namespace

TEST_CASE("report.json keeps to its published schema") {
  std::vector<std::string> reports{to_json(Record{}), to_json(sample::culprits()), to_json(sample::aligned()),
                                   to_json(sample::unfinished())};
  for (const std::string& text : sample::hostile()) reports.push_back(to_json(sample::with(text)));
  Record pruned = sample::culprits();
  pruned.pruned = Pruned{.answered = true, .needed = {0}, .kept = {{{"ops", "relu"}, ""}, {{"flags", "stride"}, "ops"}}};
  pruned.as_is_by_standard = {true, "met"};
  pruned.fix_by_standard = {std::nullopt, "nothing is said"};
  reports.push_back(to_json(pruned));
  CHECK(valid(reports));
}

TEST_CASE("the schema refuses what is not a report") {
  CHECK_FALSE(valid({"{}"}));
  std::string report = to_json(sample::aligned());
  report.replace(report.find("\"aligned\""), 9, "\"perhaps\"");
  CHECK_FALSE(valid({report}));
}
