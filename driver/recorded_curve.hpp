// A reference that was recorded before: the log of an earlier training in the metric's own format, or an accepted
// baseline.
#pragma once

#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"

namespace bisectd::driver {

/// The runs that `reference.curve` (relative to the experiment's folder) holds, at least one. Throws configs::ConfigError
/// with its place for a log without a value or with a line that should have held one, and for a baseline that is damaged
/// or belongs to another model or metric.
std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment);

}  // namespace bisectd::driver
