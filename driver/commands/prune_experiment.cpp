#include "driver/commands/prune_experiment.hpp"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>
#include <set>

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

void take_out(configs::Side& subject, const std::string& variable) {
  subject.environment.erase(variable);
  subject.unset.push_back(variable);  // an inherited value must not take its place
}

}  // namespace

std::vector<std::string> search_what_is_in_use(configs::Experiment& experiment) {
  std::map<std::string, Selection> selections;
  std::set<std::string> needed;  // variables that a family needs at one value in every run
  for (auto& [name, family] : experiment.families) {
    for (const std::string& member : listed(family, experiment.subject))
      selections[name].members.push_back({member, family.place});
    if (!selections.contains(name)) continue;
    take_out(experiment.subject, *family.deliver.environment);
    for (const auto& [variable, value] : family.environment) needed.insert(variable);
  }
  for (auto& [name, family] : experiment.families)
    for (auto& [member, toggle] : family.toggles) {
      if (!is_held_safe(toggle, experiment.subject) || needed.contains(*toggle.deliver.environment)) continue;
      take_out(experiment.subject, *toggle.deliver.environment);
      toggle.suspect = toggle.unset_means ? std::nullopt : toggle.declared;
      selections[name].members.push_back({member, toggle.place});
    }
  std::vector<std::string> in_use;
  for (const auto& [name, selection] : selections)
    for (const auto& member : selection.members) in_use.push_back(name + ":" + member.value);
  if (!in_use.empty()) experiment.suspects = std::move(selections);
  return in_use;
}

}  // namespace bisectd::driver
