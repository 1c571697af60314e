#include "driver/loop/budget.hpp"

#include <algorithm>

namespace bisectd::driver {

bool hours_spent(const Run& run, double kept_back_s) {
  const auto& hours = run.experiment.search.budget_hours;
  return hours && run.now_s() + kept_back_s >= *hours * 3600.0;
}

bool trials_spent(const Run& run) {
  const auto& most = run.experiment.search.budget_trials;
  if (!most) return false;
  const auto& trials = run.state.history.trials;
  const auto searched = std::ranges::count_if(trials, [](const PastTrial& one) { return is(one.role, reports::kInSearch); });
  const auto discoveries = std::ranges::count(trials, Role::discovery, &PastTrial::role);
  return searched + std::max<std::ptrdiff_t>(discoveries - 1, 0) >= *most;
}

}  // namespace bisectd::driver
