#include "driver/loop/unseen_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "configs/printable.hpp"
#include "configs/suggest.hpp"

namespace bisectd::driver {
namespace {

/// Ascending; nothing for a family that does not discover its members.
std::optional<std::vector<std::string>> found_in(const configs::Experiment& experiment, const std::string& family,
                                                 std::span<const neutralise::Discovered> found) {
  const configs::Selection& selection = experiment.suspects.at(family);
  if (!selection.discover) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& member : selection.members) names.push_back(member.value);
  for (const neutralise::Discovered& members : found)
    if (const auto of_family = members.find(family); of_family != members.end())
      names.insert(names.end(), of_family->second.begin(), of_family->second.end());
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<configs::Placed<std::string>> unseen_names(const configs::Experiment& experiment,
                                                       std::span<const neutralise::Discovered> found) {
  std::vector<configs::Placed<std::string>> warnings;
  const auto look_at = [&](const char* key, const configs::MemberLabel& label, const configs::Place& place) {
    const auto names = found_in(experiment, label.family, found);
    if (!names || std::ranges::binary_search(*names, label.name)) return;
    const auto right = configs::nearest(label.name, *names);
    warnings.push_back(
        {fmt::format("`{}`: {} is not among the members of family `{}` that were found, so this changes nothing{}", key,
                     configs::in_quotes(label.name), label.family,
                     right ? fmt::format("; did you mean {}?", configs::in_quotes(*right)) : ""),
         place});
  };
  for (const auto& [family, selection] : experiment.suspects) {
    // One of the family's own table is spelt right, and not searched either, as was wanted.
    const std::vector<std::string>& known = experiment.families.at(family).known_names;
    for (const auto& [name, place] : selection.exclude)
      if (!std::ranges::binary_search(known, name)) look_at("exclude", {family, name}, place);
    // Odds that stand in no file are of past nights, maybe of other models.
    for (const auto& [name, odds] : selection.likely)
      if (!odds.place.file.empty()) look_at("likely", {family, name}, odds.place);
    for (const auto& [name, price] : selection.price) look_at("price", {family, name}, price.place);
  }
  return warnings;
}

}  // namespace bisectd::driver
