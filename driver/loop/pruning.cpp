#include "driver/loop/pruning.hpp"

#include <algorithm>

#include "driver/record/costs.hpp"

namespace bisectd::driver {

void weigh_workaround(Run& run) {
  describe_pruned(run.record);
  const reports::Pruned& pruned = *run.record.pruned;
  if (pruned.over.empty() || !pruned.needed_step_time_s || pruned.in_use_step_time_s) return;
  const auto is_whole = [&](const reports::Trial& trial) {
    return trial.role == name_of(Role::other_fix) && trial.neutralised.size() == run.state.catalogue.size();
  };
  if (std::ranges::any_of(run.record.trials, is_whole)) return;  // without a step time: it broke
  strategies::SuspectSet all(run.state.catalogue.size());
  TrialPlan plan = run.plan_for(Role::other_fix, all.set(), "the whole workaround in use: how fast is it?");
  if (run.state.past.finished && !run.was_begun(plan)) return;
  run.start_or_go_on(std::move(plan));
  run.wait_for_all();
  describe_pruned(run.record);
}

}  // namespace bisectd::driver
