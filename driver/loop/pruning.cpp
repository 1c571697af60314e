#include "driver/loop/pruning.hpp"

#include <algorithm>

#include "driver/record/costs.hpp"

namespace bisectd::driver {

void weigh_workaround(Run& run) {
  const reports::Pruned pruned = pruned_by(run.state.history, *run.state.conclusion);
  if (pruned.over.empty() || !pruned.needed_step_time_s || pruned.in_use_step_time_s) return;
  const strategies::Neutralised all(strategies::SuspectSet(run.state.catalogue.size()).set());
  TrialPlan plan = run.plan_for(Role::other_fix, all, "the whole workaround in use: how fast is it?");
  const auto is_whole = [&](const PastTrial& trial) {
    return trial.role == Role::other_fix && trial.neutralised == plan.neutralised && trial.judgement;
  };
  if (std::ranges::any_of(run.state.history.trials, is_whole)) return;  // without a step time: it broke
  if (run.state.history.finished && !run.was_begun(plan)) return;
  run.start_or_go_on(std::move(plan));
  run.wait_for_all();
}

}  // namespace bisectd::driver
