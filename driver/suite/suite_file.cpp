#include "driver/suite/suite_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/problems.hpp"
#include "configs/reading.hpp"
#include "configs/words.hpp"
#include "configs/yaml_tree.hpp"
#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::suite {
namespace {

namespace fs = std::filesystem;
using configs::Placed;
using configs::Problems;
using configs::Value;

std::vector<Placed<std::string>> read_experiments(const Value& list, const fs::path& folder, Problems& problems) {
  std::vector<Placed<std::string>> files = configs::texts_of(list, "experiments", problems);
  if (list.kind == Value::Kind::list && list.items.empty()) problems.add(list.place, "`experiments` is empty");
  for (auto file = files.begin(); file != files.end(); ++file) {
    file->value = (folder / file->value).lexically_normal().string();
    if (std::ranges::count(files.begin(), file, file->value, &Placed<std::string>::value))
      problems.add(file->place, fmt::format("the experiment {} is named twice", file->value));
    else if (!fs::is_regular_file(file->value))
      problems.add(file->place, fmt::format("there is no experiment {}", file->value));
  }
  return files;
}

void read_budget(const Value& block, SuiteFile& suite, Problems& problems) {
  configs::MapReader reader(block, "budget", problems);
  double hours = 0;
  if (reader.read(
          "hours", [](const Value& value) { return configs::number_of(value, 1e-6, 10'000); }, hours))
    suite.budget_hours = hours;
  reader.refuse_other_keys();
}

}  // namespace

SuiteFile load_suite(const fs::path& file) {
  if (fs::is_directory(file)) throw std::system_error(EISDIR, std::generic_category(), file.string());
  SuiteFile suite{.file = file.string()};
  Problems problems;
  const auto tree = configs::parse_yaml(keep::read_file(file), file.string(), problems);
  problems.throw_if_any(suite.file);
  configs::MapReader reader(*tree, "the suite", problems);
  std::int64_t version = 0;
  if (reader.require("version", "write `version: 1`"))
    reader.read(
        "version", [](const Value& value) { return configs::whole_number_of(value, 1, 1); }, version);
  if (const Value* name = reader.require("name")) {
    reader.read("name", configs::text_of, suite.name);
    if (!configs::is_plain_name(suite.name))
      problems.add(name->place, "the name may hold letters, digits, '.', '_' and '-' only: it names a folder");
  }
  if (const Value* list = reader.require("experiments", "a list of experiment files"))
    suite.experiments = read_experiments(*list, file.parent_path(), problems);
  if (const Value* budget = reader.find("budget")) read_budget(*budget, suite, problems);
  reader.refuse_other_keys();
  problems.throw_if_any(suite.file);
  return suite;
}

}  // namespace bisectd::driver::suite
