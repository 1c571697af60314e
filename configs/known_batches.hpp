// What the commands of both sides say before anything runs: the batch that all devices of a side train on in one step.
#pragma once

#include "configs/experiment.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

/// Warns of a check that the commands themselves answer differently, and, with standard checks, of numbers of devices that
/// differ where no command tells the batch. Nothing where a side is not run.
void warn_of_known_differences(const Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
