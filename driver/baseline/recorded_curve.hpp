// A reference that was recorded before: logs of earlier trainings in the metric's own format, or a file that `record` or
// `accept` wrote.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"

namespace bisectd::driver {

struct RecordedReference {
  std::vector<judge::Curve> curves;          ///< at least one
  std::map<std::string, std::string> facts;  ///< what each check of the experiment said; empty for logs
  bool from_logs = false;                    ///< then patterns of checks look into the first of them
  std::string text;                          ///< "8 runs of gpu.json, recorded 2026-11-20T00:00:00Z", for people
  std::string doubt;                         ///< it may be another training than the experiment's; a sentence, or empty
};

/// What `reference.curve` holds. Throws configs::ConfigError with its place for a log without a value or with a line that
/// should have held one, for a baseline that is damaged or belongs to another model or metric, and for a check that it does
/// not answer.
RecordedReference recorded_reference(const configs::Experiment& experiment);

/// Its curves alone.
std::vector<judge::Curve> recorded_curves(const configs::Experiment& experiment);

/// What else changed since the accepted baseline of an experiment, if it has one: "cann 8.2 -> 8.3 since the baseline of
/// 2026-11-20T00:00:00Z", one for each of these versions. A reference that was recorded has versions of another side.
std::vector<std::string> changes_since_baseline(const configs::Experiment& experiment,
                                                const std::map<std::string, std::string>& versions);

/// Where the software of a recorded reference differs from these versions: "paddle 3.2.0 there, 3.3.1 here".
std::vector<std::string> versions_unlike_recorded(const configs::Experiment& experiment,
                                                  const std::map<std::string, std::string>& versions);

}  // namespace bisectd::driver
