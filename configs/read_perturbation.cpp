// Reads `perturb`: of a side, or of the file for both.
#include <fmt/format.h>

#include <algorithm>

#include "configs/blocks.hpp"
#include "configs/pattern.hpp"
#include "configs/placeholders.hpp"
#include "configs/printable.hpp"
#include "configs/reading.hpp"

namespace bisectd::configs {
namespace {

constexpr const char* kForms =
    "for example {environment: TRAIN_PERTURB}, {argument: \"--perturb={seed}\"} or {switches: "
    "[{OMP_NUM_THREADS: \"2\"}]}; or `none`";

void read_argument(MapReader& reader, Perturbation& perturbation, Problems& problems) {
  const Value* argument = reader.find("argument");
  Placed<std::string> text;
  if (!argument || !reader.read("argument", placed_text_of, text)) return;
  perturbation.argument = text;
  const std::size_t before = problems.size();
  const auto used = placeholders_in(text, {kPerturbPlaceholders.begin(), kPerturbPlaceholders.end()}, problems);
  if (problems.size() == before && !std::ranges::count(used, "seed"))
    problems.add(text.place, fmt::format("`{}.argument` lacks {{seed}}: every repeat would be the same", reader.what()),
                 "for example --perturb={seed}");
}

bool same(const std::map<std::string, Placed<std::string>>& a, const std::map<std::string, Placed<std::string>>& b) {
  return std::ranges::equal(a, b, [](const auto& left, const auto& right) {
    return left.first == right.first && left.second.value == right.second.value;
  });
}

void read_switches(MapReader& reader, Perturbation& perturbation, Problems& problems) {
  const Value* switches = reader.find("switches");
  if (!switches) return;
  const std::string what = reader.what() + ".switches";
  if (switches->kind != Value::Kind::list || switches->items.empty())
    problems.add(switches->place, fmt::format("`{}`: expected a list of harmless settings", what),
                 "for example [{OMP_NUM_THREADS: \"2\"}, {MKL_CBWR: COMPATIBLE}]");
  for (const Value& item : switches->items) {
    auto entry = read_environment(item, what, problems);
    for (const auto& [name, value] : entry)
      for (const std::string& word : placeholders_in(value, problems))
        if (word == "arguments") problems.add(value.place, "`{arguments}` can only stand in a command");
    if (item.kind == Value::Kind::map && item.entries.empty())
      problems.add(item.place, fmt::format("`{}`: this entry sets nothing", what),
                   "the first run is the one without settings");
    const auto first = std::ranges::find_if(perturbation.switches, [&](const auto& other) { return same(other, entry); });
    if (first != perturbation.switches.end() && !entry.empty())
      problems.add(item.place, fmt::format("`{}`: entries {} and {} are the same", what,
                                           first - perturbation.switches.begin() + 1, perturbation.switches.size() + 1));
    perturbation.switches.push_back(std::move(entry));
  }
}

void read_needs(MapReader& reader, Perturbation& perturbation, Problems& problems) {
  const Value* needs = reader.find("needs");
  if (!needs) return;
  for (const auto& [name, value] : read_environment(*needs, reader.what() + ".needs", problems)) {
    placeholders_in(value, {kFamilyPlaceholders.begin(), kFamilyPlaceholders.end()}, problems);
    perturbation.needs.emplace(name, value.value);
  }
}

Perturbation read_block(const Value& block, const std::string& what, Problems& problems) {
  Perturbation perturbation;
  perturbation.place = block.place;
  MapReader reader(block, what, problems);
  const Value* environment = reader.find("environment");
  if (environment && reader.read("environment", text_of, perturbation.environment.emplace()))
    check_variable_name(*perturbation.environment, environment->place, problems);
  read_argument(reader, perturbation, problems);
  read_switches(reader, perturbation, problems);
  read_needs(reader, perturbation, problems);
  for (const auto& [key, target] : {std::pair{"made", &perturbation.made}, std::pair{"undone", &perturbation.undone}})
    if (const Value* pattern = reader.find(key))
      *target = read_pattern(*pattern, fmt::format("{}.{}", what, key), "value", {}, problems);
  const bool good = reader.refuse_other_keys();
  const auto forms = std::ranges::count_if(block.entries, [](const Value::Entry& entry) {
    return entry.key == "environment" || entry.key == "argument" || entry.key == "switches";
  });
  if (good && forms != 1)
    problems.add(block.place, fmt::format("`{}` needs one of `environment`, `argument` and `switches`", what), kForms);
  return perturbation;
}

}  // namespace

std::optional<Perturbation> read_perturbation(const Value& block, const std::string& what, Problems& problems) {
  if (is_word(block, "none")) return std::nullopt;
  if (block.kind == Value::Kind::map) return read_block(block, what, problems);
  problems.add(block.place, fmt::format("`{}`: expected how a repeat is perturbed", what), kForms);
  return std::nullopt;
}

}  // namespace bisectd::configs
