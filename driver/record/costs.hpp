// What fixes cost in speed, from the step times of the trials that ran with them.
#pragma once

#include <vector>

#include "reports/record.hpp"

namespace bisectd::driver {

/// Step times of the subject as it is, of the fix, and of those other fixes that were tried.
void describe_costs(reports::Record& record, const std::vector<std::vector<strategies::SuspectId>>& other_fixes);

/// What is left of the workaround in use after `bisectd prune`, where every suspect is an entry of it and the subject as it
/// is runs without it.
void describe_pruned(reports::Record& record);

}  // namespace bisectd::driver
