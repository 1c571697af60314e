#include "driver/loop/other_fixes.hpp"

#include <algorithm>
#include <optional>

#include "driver/loop/problem.hpp"
#include "driver/record/costs.hpp"
#include "reports/result_lines.hpp"
#include "strategies/fix.hpp"

namespace bisectd::driver {

using strategies::SuspectId;
using strategies::SuspectSet;
using strategies::Verdict;

namespace {

constexpr std::size_t kMostOthers = 3;

/// Those of the state. Returns those that came to their end now.
std::vector<FinishedTrial> try_other_fixes(Run& run, const reports::Costs& costs, int search) {
  if (!costs.as_is_step_time_s || !costs.fix_step_time_s) return {};
  std::vector<TrialPlan> plans;
  for (const std::vector<SuspectId>& fix : run.state.other_fixes) {
    const strategies::Neutralised set(run.state.catalogue.set_of(fix));
    if (std::ranges::any_of(run.state.history.trials, [&](const PastTrial& trial) {
          return trial.role == Role::other_fix && trial.neutralised == set && trial.judgement;
        }))
      continue;
    const auto tried = std::ranges::find(costs.other_fixes, fix, &reports::OtherFix::neutralised);
    if (tried != costs.other_fixes.end() && (tried->step_time_s || tried->verdict != Verdict::pass)) continue;
    TrialPlan plan = run.plan_for(Role::other_fix, set, "another minimal fix: is it faster?");
    plan.search = search;
    plans.push_back(std::move(plan));
  }
  return run.run_all(std::move(plans));
}

/// The fastest of the other fixes that pass, if it is faster than the culprit set.
std::optional<std::vector<SuspectId>> faster_fix(const reports::Costs& costs) {
  const reports::OtherFix* best = nullptr;
  double best_s = costs.fix_step_time_s.value_or(0);
  for (const reports::OtherFix& fix : costs.other_fixes)
    if (fix.verdict == Verdict::pass && fix.step_time_s && *fix.step_time_s < best_s) {
      best = &fix;
      best_s = *fix.step_time_s;
    }
  return best ? std::optional(best->neutralised) : std::nullopt;
}

/// Where the culprit set takes longer than `accept.step_time` allows, the one of lowest price that passes and keeps within
/// it.
std::optional<std::vector<SuspectId>> fix_within_step_time(const reports::Costs& costs) {
  if (!costs.fix_step_time_s || !reports::exceeds_step_time(costs, *costs.fix_step_time_s)) return std::nullopt;
  const double most_s = *costs.as_is_step_time_s * (1 + *costs.step_time_limit);
  const auto within = std::ranges::find_if(costs.other_fixes, [&](const reports::OtherFix& fix) {
    return fix.verdict == Verdict::pass && fix.step_time_s && *fix.step_time_s <= most_s;
  });
  return within == costs.other_fixes.end() ? std::nullopt : std::optional(within->neutralised);
}

}  // namespace

std::vector<std::vector<SuspectId>> other_fixes(const strategies::Answer& answer, const strategies::Problem& problem) {
  if (answer.state != strategies::State::proved) return {};
  auto fixes = strategies::minimal_fixes(answer.causes, problem.suspects, kMostOthers + 1);
  std::erase(fixes, answer.culprit_set);
  if (fixes.size() > kMostOthers) fixes.pop_back();
  return fixes;
}

void compare_fixes(Run& run, SearchPhase& search) {
  const auto problem = problem_of(run.experiment, run.state.catalogue, run.sides.subject.pool->size(), run.state.exact);
  const auto costs = [&] {
    run.state.other_fixes = other_fixes(run.state.answer, problem);
    return costs_of(run.experiment, run.state.history, run.state.answer.culprit_set, run.state.other_fixes);
  };
  const bool fastest = run.experiment.search.fix == configs::FixChoice::fastest;
  bool goes_on = true;
  while (goes_on) {
    const reports::Costs known = costs();
    if (run.state.answer.state != strategies::State::proved || search.budget_spent()) return;
    goes_on = search.hear(try_other_fixes(run, known, search.number()));
    if (goes_on || run.state.history.finished) continue;
    if (const auto better = fastest ? faster_fix(costs()) : fix_within_step_time(costs())) goes_on = search.choose(*better);
  }
  run.state.other_fixes = other_fixes(run.state.answer, problem);
}

}  // namespace bisectd::driver
