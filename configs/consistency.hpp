// Checks what only the whole experiment can tell, and settles what the subject as it is really has.
#pragma once

#include "configs/experiment.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// Placeholders that nothing can fill, variables claimed twice, a black list that the subject brings along with bad
/// names, nothing to search. Sets Toggle::suspect of every family.
void check_and_settle(Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
