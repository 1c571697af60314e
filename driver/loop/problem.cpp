#include "driver/loop/problem.hpp"

#include "driver/loop/descent.hpp"

namespace bisectd::driver {
namespace {

/// Unless the experiment says another price. Where an operator and a flag fail only together, either mends it: a flag at
/// its safe value is the cheaper fix, an operator on the CPU costs copies in every step.
constexpr double kTogglePrice = 1;
constexpr double kListPrice = 10;

}  // namespace

strategies::Problem problem_of(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                               std::size_t slots, bool exact) {
  strategies::Problem problem{.confidence = experiment.search.confidence,
                              .flip_probability = exact ? std::optional(0.0) : std::nullopt,
                              .slots = slots,
                              .budgeted = experiment.search.budget_trials || experiment.search.budget_hours,
                              .seed = experiment.search.seed};
  for (const neutralise::Member& member : catalogue.members()) {
    const configs::Family& family = experiment.families.at(member.family);
    const configs::Selection& selection = experiment.suspects.at(member.family);
    const auto said = selection.price.find(member.name);
    const double usual = family.kind == configs::FamilyKind::list ? kListPrice : kTogglePrice;
    problem.suspects.push_back({.odds = member.odds,
                                .price = said == selection.price.end() ? usual : said->second.value,
                                .stays_active = neutralise::is_left_out(family, selection, member.name)});
  }
  return problem;
}

strategies::Neutralised most_neutralised(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue) {
  const Scope scope = first_scope(experiment, catalogue);
  const strategies::Problem problem = narrowed(problem_of(experiment, catalogue, 1, true), scope);
  strategies::SuspectSet all(problem.suspects.size());
  for (strategies::SuspectId suspect = 0; suspect < all.size(); ++suspect)
    all.set(suspect, !problem.suspects[suspect].stays_active);
  return widened(strategies::Neutralised(std::move(all)), scope, catalogue.size());
}

strategies::EngineKind engine_of(configs::EngineChoice choice) {
  switch (choice) {
    case configs::EngineChoice::automatic: return strategies::EngineKind::automatic;
    case configs::EngineChoice::ordered: return strategies::EngineKind::ordered;
    case configs::EngineChoice::causes: return strategies::EngineKind::causes;
  }
  return strategies::EngineKind::automatic;
}

void set_discovery(neutralise::Recipe& recipe, const configs::Experiment& experiment, const LaunchSide& subject) {
  for (const std::string& name : families_seen_in_a_run(experiment))
    for (const auto& [variable, value] : experiment.families.at(name).discover->environment)
      recipe.templates[variable] = family_variable(subject, variable, value);
}

std::vector<std::string> discovered_families(const configs::Experiment& experiment) {
  std::vector<std::string> names;
  for (const auto& [name, selection] : experiment.suspects)
    if (selection.discover && experiment.families.at(name).discover) names.push_back(name);
  return names;
}

std::vector<std::string> families_seen_in_a_run(const configs::Experiment& experiment) {
  std::vector<std::string> names = discovered_families(experiment);
  std::erase_if(names, [&](const std::string& name) { return experiment.families.at(name).discover->asks_framework(); });
  return names;
}

}  // namespace bisectd::driver
