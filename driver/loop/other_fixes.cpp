#include "driver/loop/other_fixes.hpp"

#include <algorithm>

#include "reports/result_lines.hpp"
#include "strategies/fix.hpp"

namespace bisectd::driver {

using strategies::SuspectId;
using strategies::SuspectSet;
using strategies::Verdict;

constexpr std::size_t kMostOthers = 3;

std::vector<std::vector<SuspectId>> other_fixes(const strategies::Answer& answer, const strategies::Problem& problem) {
  if (answer.state != strategies::State::proved) return {};
  auto fixes = strategies::minimal_fixes(answer.causes, problem.suspects, kMostOthers + 1);
  std::erase(fixes, answer.culprit_set);
  if (fixes.size() > kMostOthers) fixes.pop_back();
  return fixes;
}

std::vector<FinishedTrial> try_other_fixes(Run& run, const reports::Costs& costs, int search) {
  if (!costs.as_is_step_time_s || !costs.fix_step_time_s) return {};
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
    if (!run.state.history.finished || run.was_begun(plan)) run.start_or_go_on(std::move(plan));
  }
  return run.wait_for_all();
}

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

std::optional<std::vector<SuspectId>> fix_within_step_time(const reports::Costs& costs) {
  if (!costs.fix_step_time_s || !reports::exceeds_step_time(costs, *costs.fix_step_time_s)) return std::nullopt;
  const double most_s = *costs.as_is_step_time_s * (1 + *costs.step_time_limit);
  const auto within = std::ranges::find_if(costs.other_fixes, [&](const reports::OtherFix& fix) {
    return fix.verdict == Verdict::pass && fix.step_time_s && *fix.step_time_s <= most_s;
  });
  return within == costs.other_fixes.end() ? std::nullopt : std::optional(within->neutralised);
}

}  // namespace bisectd::driver
