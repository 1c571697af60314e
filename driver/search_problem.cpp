#include "driver/search_problem.hpp"

#include <algorithm>

#include "driver/judge/align.hpp"

namespace bisectd::driver {
namespace {

/// Where an operator and a flag fail only together, either mends it: a flag at its safe value is the cheaper fix, an
/// operator on the CPU costs copies in every step.
constexpr double kTogglePrice = 1;
constexpr double kListPrice = 10;

}  // namespace

strategies::EngineKind engine_of(configs::EngineChoice choice) {
  switch (choice) {
    case configs::EngineChoice::automatic: return strategies::EngineKind::automatic;
    case configs::EngineChoice::ordered: return strategies::EngineKind::ordered;
    case configs::EngineChoice::causes: return strategies::EngineKind::causes;
    case configs::EngineChoice::additive: return strategies::EngineKind::additive;
  }
  return strategies::EngineKind::automatic;
}

strategies::Problem problem_for(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                                bool deterministic, std::size_t slots) {
  strategies::Problem problem{.confidence = experiment.search.confidence,
                              .flip_probability = deterministic ? std::optional(0.0) : std::nullopt,
                              .slots = slots,
                              .seed = experiment.search.seed};
  for (const neutralise::Member& member : catalogue.members()) {
    const bool toggle = experiment.families.at(member.family).kind == configs::FamilyKind::toggle;
    problem.suspects.push_back({.odds = member.odds, .price = toggle ? kTogglePrice : kListPrice});
  }
  return problem;
}

int identical_repeats(std::span<const judge::Curve> curves) {
  if (curves.empty()) return 0;
  return static_cast<int>(std::count_if(curves.begin() + 1, curves.end(), [&](const judge::Curve& curve) {
    return std::ranges::equal(curve.series, curves.front().series, [](const auto& a, const auto& b) {
      return a.first == b.first && judge::identical(judge::tidy(a.second), judge::tidy(b.second));
    });
  }));
}

}  // namespace bisectd::driver
