#include "driver/loop/pruning.hpp"

#include "driver/record/costs.hpp"

namespace bisectd::driver {

void weigh_workaround(Night& night) {
  describe_pruned(night.record);
  const reports::Pruned& pruned = *night.record.pruned;
  if (pruned.over.empty() || !pruned.needed_step_time_s || pruned.in_use_step_time_s) return;
  strategies::SuspectSet all(night.catalogue.size());
  TrialPlan plan = night.plan_for(Role::other_fix, all.set(), "the whole workaround in use: how fast is it?");
  if (night.past.finished && !night.was_begun(plan)) return;
  night.start_or_go_on(std::move(plan));
  night.wait_for_all();
  describe_pruned(night.record);
}

}  // namespace bisectd::driver
