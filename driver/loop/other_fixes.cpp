#include "driver/loop/other_fixes.hpp"

#include <algorithm>

#include "strategies/fix.hpp"

namespace bisectd::driver {

using strategies::SuspectId;
using strategies::SuspectSet;
using strategies::Verdict;

constexpr std::size_t kMostOthers = 3;

std::vector<std::vector<SuspectId>> other_fixes(const strategies::Answer& answer, const strategies::Problem& problem) {
  if (answer.state != strategies::State::proved) return {};
  SuspectSet always_active(problem.suspects.size());
  for (const SuspectId id : answer.not_neutralisable) always_active.set(id);
  for (const SuspectId id : answer.excluded) always_active.set(id);
  const strategies::Relations relations(answer.needs_belied ? without_needs(problem) : problem);
  auto fixes = strategies::minimal_fixes(answer.causes, problem.suspects, relations, always_active, kMostOthers + 1);
  std::erase(fixes, answer.culprit_set);
  if (fixes.size() > kMostOthers) fixes.pop_back();
  return fixes;
}

std::vector<FinishedTrial> try_other_fixes(Night& night, const std::vector<std::vector<SuspectId>>& fixes) {
  if (!night.record.as_is_step_time_s || !night.record.fix_step_time_s) return {};
  for (const std::vector<SuspectId>& fix : fixes) {
    if (std::ranges::any_of(night.record.trials, [&](const reports::Trial& trial) {
          return trial.role == name_of(Role::other_fix) && trial.neutralised == fix;
        }))
      continue;
    const auto tried = std::ranges::find(night.record.other_fixes, fix, &reports::OtherFix::neutralised);
    if (tried != night.record.other_fixes.end() && (tried->step_time_s || tried->verdict != Verdict::pass)) continue;
    TrialPlan plan = night.plan_for(Role::other_fix, night.catalogue.set_of(fix), "another minimal fix: is it faster?");
    if (!night.past.finished || night.was_begun(plan)) night.start_or_go_on(std::move(plan));
  }
  return night.wait_for_all();
}

std::optional<std::vector<SuspectId>> faster_fix(const reports::Record& record) {
  const reports::OtherFix* best = nullptr;
  double best_s = record.fix_step_time_s.value_or(0);
  for (const reports::OtherFix& fix : record.other_fixes)
    if (fix.verdict == Verdict::pass && fix.step_time_s && *fix.step_time_s < best_s) {
      best = &fix;
      best_s = *fix.step_time_s;
    }
  return best ? std::optional(best->neutralised) : std::nullopt;
}

}  // namespace bisectd::driver
