// A candidate beside the reference, step by step. Knows no target.
#pragma once

#include <vector>

#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

/// The relative differences d(t) = (C(t) - mean(t)) / scale(t) of one attempt.
struct Difference {
  Track track;                      ///< the attempt as logged, up to the reference's last step
  std::vector<std::size_t> places;  ///< on the reference's grid, ascending: where the attempt has a finite value
  std::vector<double> values;       ///< d there, cut at +-kLargestDifference
};

/// Empty when the metric was not logged, or its steps are beyond all sense.
Difference difference(const Reference& reference, const Curve& curve);

/// What counts of a signed difference: its size, or (accept: worse only) how far it goes to the worse side, which is
/// negative on the better one.
double badness(const Reference& reference, double difference);

/// The same attempt as it was at step `last`.
Difference until(const Reference& reference, const Difference& difference, std::int64_t last);

/// The differences whose places are in [from, to).
std::span<const double> values_in(const Difference& difference, const Places& places);

/// Trimmed mean of the differences in a window, the way the reference's accept block says. Not empty.
double level_in(const Reference& reference, const Difference& difference, const Places& places);

}  // namespace bisectd::driver::judge
