// A reference that was recorded before: the log of an earlier training in the metric's own format, or an accepted
// baseline.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"

namespace bisectd::driver {

/// The runs that `reference.curve` (relative to the experiment's folder) holds, at least one. Throws configs::ConfigError
/// with its place for a log without a value or with a line that should have held one, and for a baseline that is damaged
/// or belongs to another model or metric.
std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment);

/// What else changed since the accepted baseline of an experiment, if it has one: "cann 8.2 -> 8.3 since the baseline of
/// 2026-11-20T00:00:00Z", one for each of these versions.
std::vector<std::string> changes_since_baseline(const configs::Experiment& experiment,
                                                const std::map<std::string, std::string>& versions);

}  // namespace bisectd::driver
