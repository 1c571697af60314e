// Where culprits fail only together, several minimal sets mend the subject. What they cost in speed only runs can tell.
#pragma once

#include <optional>
#include <vector>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// The minimal fixes of a proved answer beside its culprit set, by price; a few, or a night would go to them. Of an
/// answer that is not proved, none.
std::vector<std::vector<strategies::SuspectId>> other_fixes(const strategies::Answer& answer,
                                                            const strategies::Problem& problem);

/// Runs each of the state's once at full length, unless enough is known of it (`costs`) or no step time can be measured
/// here. `search`: the number of the one that the trials are told to. Returns those that came to their end now. Throws
/// Interrupted.
std::vector<FinishedTrial> try_other_fixes(Run& run, const reports::Costs& costs, int search);

/// The fastest of the other fixes that pass, if it is faster than the culprit set.
std::optional<std::vector<strategies::SuspectId>> faster_fix(const reports::Costs& costs);

/// Where the culprit set takes longer than `accept.step_time` allows, the one of lowest price that passes and keeps within
/// it.
std::optional<std::vector<strategies::SuspectId>> fix_within_step_time(const reports::Costs& costs);

}  // namespace bisectd::driver
