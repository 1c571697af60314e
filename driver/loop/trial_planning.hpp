// What a trial of each role launches: how long its runs are, how many, and how often one that breaks is run again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver/loop/run_state.hpp"
#include "driver/trial/sides.hpp"
#include "driver/trial/trial_plan.hpp"
#include "driver/trial/watch.hpp"

namespace bisectd::driver {

/// What a run is given; does not change while it goes on.
struct RunInput {
  const configs::Experiment& experiment;
  Sides& sides;
  WatchList watch;

  /// No reference, no jury: what is asked is whether the subject runs.
  bool must_only_run() const { return experiment.accept.goal == configs::Goal::runs; }
};

/// The last step of a whole run of this role, where the experiment says it.
std::optional<std::int64_t> steps_of(const configs::Experiment& experiment, Role role);

/// As far as is known by now; without a number. Pure.
TrialPlan plan_trial(const RunInput& input, const RunState& state, Role role, const strategies::Neutralised& neutralised,
                     std::string reason);

}  // namespace bisectd::driver
