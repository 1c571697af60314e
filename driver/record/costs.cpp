#include "driver/record/costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "driver/trial/step_time.hpp"

namespace bisectd::driver {
namespace {

using strategies::Neutralised;
using strategies::SuspectId;

Neutralised set_of(const History& history, const std::vector<SuspectId>& ids) {
  return history.catalogue ? Neutralised(history.catalogue->set_of(ids)) : Neutralised();
}

std::optional<double> step_time_s(const History& history, const auto& is_meant) {
  std::vector<double> times;
  for (const PastTrial& trial : history.trials)
    for (const Attempt& attempt : trial.attempts)
      if (attempt.step_time_s && is_meant(trial)) times.push_back(*attempt.step_time_s);
  return median(std::move(times));
}

std::optional<double> as_is_step_time_s(const History& history) {
  return step_time_s(history, [](const PastTrial& trial) { return trial.role == Role::as_is; });
}

/// Not of another value of a ladder, nor of another length.
/// Controls come after the fix was chosen by these times: a resume must see the same.
bool is_timed(const PastTrial& trial) { return traits_of(trial.role).speaks == reports::Speaks::of_set; }

/// Of the trials of exactly this set, which is not empty.
std::optional<double> step_time_with_s(const History& history, const Neutralised& set) {
  return step_time_s(history, [&](const PastTrial& trial) { return trial.neutralised == set && is_timed(trial); });
}

/// How far the median of the fix's runs over that of the runs as they are may be off, from sets that ran more than once.
std::optional<double> step_time_error(const History& history, const Neutralised& fix_set) {
  double squares = 0, freedoms = 0, as_is = 0, fix = 0;
  for (const PastTrial& trial : history.trials) {
    if (trial.role == Role::reference) continue;  // another device
    std::vector<double> logs;
    for (const Attempt& attempt : trial.attempts)
      if (attempt.step_time_s) logs.push_back(std::log(*attempt.step_time_s));
    const auto runs = static_cast<double>(logs.size());
    if (trial.role == Role::as_is) as_is += runs;
    if (trial.neutralised == fix_set && is_timed(trial)) fix += runs;
    if (logs.size() < 2) continue;
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / runs;
    for (const double one : logs) squares += (one - mean) * (one - mean);
    freedoms += runs - 1;
  }
  if (freedoms == 0 || as_is == 0 || fix == 0) return std::nullopt;
  return std::sqrt(squares / freedoms * (1 / as_is + 1 / fix));
}

}  // namespace

reports::Costs costs_of(const configs::Experiment& experiment, const History& history, const std::vector<SuspectId>& fix,
                        const std::vector<std::vector<SuspectId>>& other_fixes) {
  reports::Costs costs{.as_is_step_time_s = as_is_step_time_s(history), .step_time_limit = experiment.accept.step_time};
  if (!fix.empty()) {
    const Neutralised set = set_of(history, fix);
    costs.fix_step_time_s = step_time_with_s(history, set);
    costs.step_time_error = step_time_error(history, set);
  }
  for (const std::vector<SuspectId>& other : other_fixes) {
    const Neutralised set = set_of(history, other);
    if (const PastTrial* trial = judged_trial(history, set))
      costs.other_fixes.push_back(
          {other, trial->number, trial->judgement->verdict, trial->judgement->delta, step_time_with_s(history, set)});
  }
  return costs;
}

reports::Pruned pruned_by(const History& history, const Conclusion& conclusion) {
  std::vector<SuspectId> in_use(history.catalogue ? history.catalogue->size() : 0);
  std::iota(in_use.begin(), in_use.end(), 0);
  reports::Pruned pruned{
      .answered = conclusion.outcome == reports::Outcome::culprits || conclusion.outcome == reports::Outcome::aligned,
      .kept = history.kept};
  if (pruned.answered) {
    pruned.needed = conclusion.answer.culprit_set;
    std::ranges::set_difference(in_use, pruned.needed, std::back_inserter(pruned.over));
    pruned.in_use_step_time_s = step_time_with_s(history, set_of(history, in_use));
    pruned.needed_step_time_s =
        pruned.needed.empty() ? as_is_step_time_s(history) : step_time_with_s(history, set_of(history, pruned.needed));
  }
  return pruned;
}

}  // namespace bisectd::driver
