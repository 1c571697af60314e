// A reference that was recorded before: the log of an earlier training, in the metric's own format.
#pragma once

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"

namespace bisectd::driver {

/// Reads `reference.curve` (relative to the experiment's folder). Throws configs::ConfigError with its place for a log
/// without a value, or with a line that should have held one.
judge::Curve recorded_curve(const configs::Experiment& experiment);

}  // namespace bisectd::driver
