// How long one step of a training takes, from when its steps were seen in the log. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bisectd::driver {

/// The highest step that the log held at one time.
struct StepSeen {
  double at_s = 0;  ///< on any clock
  std::int64_t step = 0;
};

/// Seconds per step: the last three quarters of the steps (the rest compiles and fills caches) are cut into stretches, and
/// the median of their rates is taken, so that one hiccup does not count. `seen` ascending in both. Empty with fewer than
/// kFewestSeen sightings in that part: a log is looked at a few times a second, so shorter runs tell nothing.
std::optional<double> step_time_s(const std::vector<StepSeen>& seen);

inline constexpr std::size_t kFewestSeen = 6;

/// The middle one, or the mean of the two in the middle; empty for no values.
std::optional<double> median(std::vector<double> values);

}  // namespace bisectd::driver
