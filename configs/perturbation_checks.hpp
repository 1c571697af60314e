// What `perturb` of a side and the rest of an experiment say about each other. Internal to this room.
#pragma once

#include "configs/experiment.hpp"
#include "configs/problems.hpp"

namespace bisectd::configs {

void check_perturbations(const Experiment& experiment, Problems& problems);

}  // namespace bisectd::configs
