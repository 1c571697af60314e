#include "driver/record/costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "driver/trial/step_time.hpp"
#include "driver/trial/trial_plan.hpp"
#include "reports/lookup.hpp"

namespace bisectd::driver {
namespace {

using strategies::SuspectId;

std::optional<double> step_time_s(const reports::Record& record, const auto& is_meant) {
  std::vector<double> times;
  for (const reports::Trial& trial : record.trials)
    for (const reports::Attempt& attempt : trial.attempts)
      if (attempt.step_time_s && is_meant(trial)) times.push_back(*attempt.step_time_s);
  return median(std::move(times));
}

std::optional<double> as_is_step_time_s(const reports::Record& record) {
  return step_time_s(record, [](const reports::Trial& trial) { return trial.role == name_of(Role::as_is); });
}

/// Not of another value of a ladder, nor of another length.
bool is_timed(const reports::Trial& trial) {
  return trial.role != name_of(Role::ladder) && trial.role != name_of(Role::soak);
}

/// Of the trials of exactly this set, which is not empty.
std::optional<double> step_time_with_s(const reports::Record& record, const std::vector<SuspectId>& set) {
  return step_time_s(record, [&](const reports::Trial& trial) { return trial.neutralised == set && is_timed(trial); });
}

/// How far the median of the fix's runs over that of the runs as they are may be off, from sets that ran more than once.
std::optional<double> step_time_error(const reports::Record& record) {
  double squares = 0, freedoms = 0, as_is = 0, fix = 0;
  for (const reports::Trial& trial : record.trials) {
    if (trial.role == name_of(Role::reference)) continue;  // another device
    std::vector<double> logs;
    for (const reports::Attempt& attempt : trial.attempts)
      if (attempt.step_time_s) logs.push_back(std::log(*attempt.step_time_s));
    const auto runs = static_cast<double>(logs.size());
    if (trial.role == name_of(Role::as_is)) as_is += runs;
    if (trial.neutralised == record.answer.culprit_set && is_timed(trial)) fix += runs;
    if (logs.size() < 2) continue;
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / runs;
    for (const double one : logs) squares += (one - mean) * (one - mean);
    freedoms += runs - 1;
  }
  if (freedoms == 0 || as_is == 0 || fix == 0) return std::nullopt;
  return std::sqrt(squares / freedoms * (1 / as_is + 1 / fix));
}

}  // namespace

void describe_costs(reports::Record& record, const std::vector<std::vector<SuspectId>>& other_fixes) {
  const std::vector<SuspectId>& fix = record.answer.culprit_set;
  record.as_is_step_time_s = as_is_step_time_s(record);
  record.fix_step_time_s = fix.empty() ? std::nullopt : step_time_with_s(record, fix);
  record.step_time_error = fix.empty() ? std::nullopt : step_time_error(record);
  record.other_fixes.clear();
  for (const std::vector<SuspectId>& other : other_fixes)
    if (const reports::Trial* trial = reports::judged_trial(record, other))
      record.other_fixes.push_back({other, trial->number, trial->verdict, trial->delta, step_time_with_s(record, other)});
}

void describe_pruned(reports::Record& record) {
  std::vector<SuspectId> in_use(record.suspects.size());
  std::iota(in_use.begin(), in_use.end(), 0);
  reports::Pruned pruned{.answered =
                             record.outcome == reports::Outcome::culprits || record.outcome == reports::Outcome::aligned};
  if (pruned.answered) {
    pruned.needed = record.answer.culprit_set;
    std::ranges::set_difference(in_use, pruned.needed, std::back_inserter(pruned.over));
    pruned.in_use_step_time_s = step_time_with_s(record, in_use);
    pruned.needed_step_time_s = pruned.needed.empty() ? as_is_step_time_s(record) : step_time_with_s(record, pruned.needed);
  }
  record.pruned = std::move(pruned);
}

}  // namespace bisectd::driver
