#include "driver/commands/prune_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>
#include <optional>

namespace bisectd::driver {
namespace {

using configs::Family;
using configs::FamilyKind;
using configs::Selection;

/// Names in the list that the subject sets for a family.
std::vector<std::string> listed(const Family& family, const configs::Side& subject) {
  std::vector<std::string> names;
  if (family.kind != FamilyKind::list || !family.deliver.environment) return names;
  const auto set = subject.environment.find(*family.deliver.environment);
  if (set == subject.environment.end()) return names;
  boost::split(names, set->second.value, boost::is_any_of(family.deliver.separator));
  std::erase(names, "");
  return names;
}

/// Where the experiment excludes a member.
std::optional<configs::Place> excluded_at(const configs::Experiment& experiment, const std::string& family,
                                          const std::string& name) {
  const auto selection = experiment.suspects.find(family);
  if (selection == experiment.suspects.end()) return std::nullopt;
  const auto excluded = std::ranges::find(selection->second.exclude, name, &configs::Placed<std::string>::value);
  return excluded == selection->second.exclude.end() ? std::nullopt : std::optional(excluded->place);
}

/// A switch that the subject's own environment holds at its safe value, and that would be unsafe without it: unset, or at
/// the declared value where nobody knows what unset means.
bool is_held_safe(const configs::Toggle& toggle, const configs::Side& subject) {
  if (!toggle.deliver.environment || !subject.environment.contains(*toggle.deliver.environment)) return false;
  const auto is_safe = [&](const std::string& value) {
    return value == toggle.safe || std::ranges::count(toggle.also_safe, value) > 0;
  };
  const std::optional<std::string>& without = toggle.unset_means ? toggle.unset_means : toggle.declared;
  return is_safe(subject.environment.at(*toggle.deliver.environment).value) && without && !is_safe(*without);
}

/// A switch whose safe setting is none, and that `unset` takes away from the subject.
bool is_taken_away(const configs::Toggle& toggle, const configs::Side& subject) {
  return toggle.deliver.environment && !toggle.safe && toggle.declared &&
         std::ranges::count(subject.unset, *toggle.deliver.environment) > 0;
}

/// The value of a ladder that the subject's own environment holds, if it is not the one under suspicion.
std::optional<std::string> held_value(const Family& family, const configs::Side& subject) {
  if (family.kind != FamilyKind::ladder || !family.deliver.environment) return std::nullopt;
  const auto set = subject.environment.find(*family.deliver.environment);
  if (set == subject.environment.end()) return std::nullopt;
  const auto holds = [&](const std::string& value) {
    const auto whole = family.ladder.delivered_as.find(value);
    return set->second.value == (whole == family.ladder.delivered_as.end() ? value : whole->second);
  };
  const auto value = std::ranges::find_if(family.ladder.values, holds);
  if (value == family.ladder.values.end() || *value == family.ladder.suspect) return std::nullopt;
  return *value;
}

void take_out(configs::Side& subject, const std::string& variable) {
  subject.environment.erase(variable);
  std::erase(subject.unset, variable);
  subject.unset.push_back(variable);  // an inherited value must not take its place
}

}  // namespace

WorkaroundInUse search_what_is_in_use(configs::Experiment& experiment) {
  WorkaroundInUse in_use;
  std::map<std::string, Selection> selections;
  std::map<std::string, std::string> needed;  // variables that a family needs at one value in every run, and that family
  const auto is_excluded = [&](const std::string& family, const std::string& member) {
    const auto place = excluded_at(experiment, family, member);
    if (place) in_use.kept.push_back({{{family, member}, {}}, *place});
    return place.has_value();
  };
  for (auto& [name, family] : experiment.families) {
    std::vector<std::string> names = listed(family, experiment.subject);
    if (names.empty()) continue;
    for (const auto& [variable, value] : family.environment) needed.try_emplace(variable, name);
    const auto excluded =
        std::ranges::stable_partition(names, [&](const std::string& member) { return !is_excluded(name, member); });
    const std::vector<std::string> staying(excluded.begin(), excluded.end());
    names.erase(excluded.begin(), excluded.end());
    if (names.empty()) continue;
    for (const std::string& member : names) selections[name].members.push_back({member, family.place});
    if (staying.empty()) take_out(experiment.subject, *family.deliver.environment);
    else  // a recipe adds its own to what is listed already
      experiment.subject.environment.at(*family.deliver.environment).value =
          boost::join(staying, family.deliver.separator.substr(0, 1));
  }
  for (auto& [name, family] : experiment.families)
    for (auto& [member, toggle] : family.toggles) {
      const bool taken_away = is_taken_away(toggle, experiment.subject);
      if (!taken_away && !is_held_safe(toggle, experiment.subject)) continue;
      if (is_excluded(name, member)) continue;
      if (const auto family_of = needed.find(*toggle.deliver.environment); family_of != needed.end()) {
        in_use.kept.push_back({{{name, member}, family_of->second}, toggle.place});
        continue;
      }
      take_out(experiment.subject, *toggle.deliver.environment);
      toggle.suspect = toggle.unset_means && !taken_away ? std::nullopt : toggle.declared;
      selections[name].members.push_back({member, toggle.place});
    }
  for (auto& [name, family] : experiment.families)
    if (const auto value = held_value(family, experiment.subject); value && !is_excluded(name, *value)) {
      take_out(experiment.subject, *family.deliver.environment);
      family.ladder.values = {*value};
      selections[name].members.push_back({*value, family.place});
    }
  for (auto& [name, selection] : selections) {
    if (const auto before = experiment.suspects.find(name); before != experiment.suspects.end())
      selection.price = before->second.price;
    for (const auto& member : selection.members) in_use.searched.push_back(fmt::format("{}:{}", name, member.value));
  }
  if (!in_use.searched.empty()) experiment.suspects = std::move(selections);
  return in_use;
}

std::vector<std::string> given_as_arguments(const configs::Experiment& experiment) {
  std::vector<std::string> names;
  for (const auto& [name, selection] : experiment.suspects) {
    const Family& family = experiment.families.at(name);
    if (!family.deliver.argument.empty() || family.deliver.config) names.push_back(name);
    for (const auto& [member, toggle] : family.toggles)
      if (!toggle.deliver.argument.empty() || toggle.deliver.config) names.push_back(name + ":" + member);
  }
  return names;
}

}  // namespace bisectd::driver
