// A window of a run: how far it is off there, and how far a healthy run would be. Knows no target.
//
// Rounding that has grown makes a run wobble: its difference to the reference changes sign and size from step to step, as
// every batch feels the displaced weights otherwise. A fault pulls: the difference keeps its sign. So the mean of a window,
// divided by the error that the window itself shows, cancels how coarsely a device rounds (the self-normalised statistic of
// a time series: Schruben 1983, Lobato 2001). Where runs of the reference were moved by more than any device rounds, how far
// they are apart there is the second witness of the same thing.
#pragma once

#include <span>
#include <vector>

#include "driver/judge/difference.hpp"

namespace bisectd::driver::judge {

/// Relative quantities are fractions.
struct WindowLevel {
  std::size_t from = 0, to = 0;  ///< of the difference's values
  double mean = 0;               ///< of the differences there
  double error = 0;              ///< of that mean, by the long-run variance of an AR(1) process fitted to the window
  double printed = 0;            ///< what the log's last digit alone moves that mean by
  bool shows_error = false;      ///< enough of its values are independent, and its batches make noise
  bool is_short = false;         ///< too short for its own error alone
  double apart = 0;              ///< how far moved runs of the reference are apart there; 0: not known
};

/// Values of a window, or half of a short log: below, its error is too uncertain (design "wobble", mend S).
inline constexpr std::size_t kShortest = 32;

/// Until this step rounding has hardly grown.
inline constexpr std::int64_t kFirstSteps = 16;

/// Windows of 32 to 128 values, or shorter ones of a short log, half overlapping, and short ones of the first steps or
/// beside moved runs, in the order of their ends. `batches`: moved runs of the reference tell nothing of a run that saw
/// others.
std::vector<WindowLevel> window_levels(const Reference& reference, const Difference& difference, Batches batches);

/// Memory of the noise in a loss, whatever its trend, 0 to 0.98: differences of white noise are correlated by -1/2 with the
/// one before, of a running mean by 0, of a smooth curve by 1; this is 1 + 2 times that, at least 0. The parabola through
/// the differences is taken off first: in its first steps a loss falls by more than it wobbles.
double memory(std::span<const double> values);

}  // namespace bisectd::driver::judge
