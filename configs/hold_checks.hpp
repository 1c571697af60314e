// What `hold` and the other blocks say about one variable.
#pragma once

#include "configs/experiment.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// A problem for a variable that a side sets otherwise or takes away, and for a suspect that is held: what is the same in
/// every run cannot be switched. Toggles whose safe value is held, and which nobody named, are left to settle_toggles.
void check_hold(const Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
