// What fixes cost in speed, from the step times of the trials that ran with them.
#pragma once

#include <vector>

#include "configs/experiment.hpp"
#include "driver/record/history.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// Step times of the subject as it is, of the fix (empty: there is none), and of those other fixes that were tried.
reports::Costs costs_of(const configs::Experiment& experiment, const History& history,
                        const std::vector<strategies::SuspectId>& fix,
                        const std::vector<std::vector<strategies::SuspectId>>& other_fixes);

/// What is left of the workaround in use after `bisectd prune`, where every suspect is an entry of it and the subject as it
/// is runs without it.
reports::Pruned pruned_by(const History& history, const Conclusion& conclusion);

}  // namespace bisectd::driver
