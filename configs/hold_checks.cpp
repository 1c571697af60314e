#include "configs/hold_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/consistency.hpp"

namespace bisectd::configs {
namespace {

void check_side(const Side& side, const std::string& what, const Hold& hold, Problems& problems) {
  if (side.command.empty()) return;
  for (const auto& [name, value] : hold.environment) {
    if (const auto* own = instead_of(value, name, side))
      problems.add(own->place, fmt::format("`hold` sets {}={} in every run", name, value),
                   "remove it here, or leave it out of `hold`");
    if (std::ranges::count(side.unset, name))
      problems.add(side.place,
                   fmt::format("`hold` sets {}={} in every run, but `{}.unset` takes it away", name, value, what));
  }
}

bool is_safe(const Toggle& toggle, const std::string& value) {
  return toggle.safe == value || std::ranges::count(toggle.also_safe, value);
}

void check_family(const std::string& name, const Family& family, const Selection& selection, const Hold& hold,
                  Problems& problems) {
  for (const auto& [toggle_name, toggle] : family.toggles) {
    const auto held =
        toggle.deliver.environment ? hold.environment.find(*toggle.deliver.environment) : hold.environment.end();
    if (held == hold.environment.end()) continue;
    const auto named = std::ranges::find(selection.members, toggle_name, &Placed<std::string>::value);
    const bool excluded = std::ranges::count(selection.exclude, toggle_name, &Placed<std::string>::value) > 0;
    if (named != selection.members.end() || (selection.all && !excluded && !is_safe(toggle, held->second)))
      problems.add(
          named != selection.members.end() ? named->place : selection.place,
          fmt::format("`{}:{}` is held ({}={}), so it cannot be a suspect", name, toggle_name, held->first, held->second),
          fmt::format("leave it out: `suspects: {{{}: {{exclude: [{}]}}}}`; or out of `hold`", name, toggle_name));
  }
  const auto held = family.kind == FamilyKind::toggle || !family.deliver.environment
                        ? hold.environment.end()
                        : hold.environment.find(*family.deliver.environment);
  if (held != hold.environment.end())
    problems.add(selection.place,
                 fmt::format("family `{}` is switched by {}, which `hold` sets in every run", name, held->first));
}

}  // namespace

void check_hold(const Experiment& experiment, Problems& problems) {
  const Hold& hold = experiment.hold;
  if (hold.environment.empty()) return;
  check_side(experiment.reference, "reference", hold, problems);
  check_side(experiment.subject, "subject", hold, problems);
  for (const auto& [name, selection] : experiment.suspects)
    check_family(name, experiment.families.at(name), selection, hold, problems);
  if (experiment.reference.is_recorded())
    problems.warn(hold.place, "`hold` does nothing to a recorded reference: it was held if its own experiment said so");
}

}  // namespace bisectd::configs
