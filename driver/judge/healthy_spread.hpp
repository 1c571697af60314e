// Two healthy devices round differently, and training makes that grow: how far apart healthy runs of this training are along
// the run, from an ensemble of runs whose initial parameters were moved by about one rounding. Judges nothing.
//
// Why an ensemble and not a device: what a rounding grows to belongs to the model, not to the device. Measured on the
// recogniser of examples/paddle (200 steps, relative difference of the level, standard deviation in %):
//
//   up to step                              40     50     60     70     80     90    100    150    200
//   initial parameters moved by 2.4e-7   0.004  0.011  0.026  0.031  0.067   0.18   0.37   0.67   0.28
//   moved by 9.8e-4                       0.11   0.16   0.19   0.34   0.42   0.64   0.68   0.87    1.4
//   a device that rounds at 1e-6 *        0.01   0.02   0.06   0.04   0.03   0.10   0.27   0.38   0.22
//   a device that rounds at 5e-4 *        0.09   0.06   0.12   0.15   0.27   0.38   0.75   0.74    1.2
//   (* at every step, in convolutions and matrix products; four devices)
//
// So a coarser rounding separates runs earlier, not further. Between the two sizes that are measured, the spread of a device
// follows from how far its first step is off: log spread is linear in log size. For the device at 5e-4 that gives 0.07,
// 0.11, 0.17, 0.24, 0.43 and 0.57 % at steps 50 to 100.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

/// Standard deviation of a healthy run's level in the window that ends at `step`, for a device that rounds like float32
/// (`fine`) and for one that rounds like float16 (`coarse`, never less). Fractions.
struct SpreadAt {
  std::int64_t step = 0;
  double fine = 0, coarse = 0;
  double fine_step = 0, coarse_step = 0;  ///< the most that a run was off at one step up to here, likewise
  bool flown_apart = false;               ///< coarse runs grew far more than fine ones up to here
};

struct HealthySpread {
  std::vector<SpreadAt> course;  ///< by ascending step; the last one is the run's end
  RoundingScale rounding;
  double dof = 0;            ///< degrees of freedom of a spread
  bool coarse_seen = false;  ///< see Ensemble

  /// Last step up to which the upper 90 % bound of the spread stays below `share` of the target, for a device of this
  /// coarseness. Nothing if there is no such part.
  std::optional<std::int64_t> below(double target, double share, double coarseness) const;
  /// The comparable part: short enough to acquit a run in it.
  std::optional<std::int64_t> comparable_until(double target, double coarseness) const;
  /// Ends of somewhat longer parts, ascending: what a device that rounds coarsely does there may still condemn it, though
  /// not acquit. None for a device that rounds like float32: its spread grows too fast for them to tell more.
  std::vector<std::int64_t> telling_until(double target, double coarseness) const;
  /// The largest spread right before `step` or at it; where no place is that near, the larger one of the places around it.
  /// Nothing before the first place.
  std::optional<SpreadAt> at(std::int64_t step) const;
};

/// Whether runs of one configuration are further apart in their first steps than `rounding` puts them: they vary by
/// themselves.
bool vary_by_themselves(const Reference& runs, const RoundingScale& rounding);

/// The runs of `fine`, and those of `coarse`, whose initial parameters were moved by much more. Nothing if the runs do not
/// begin apart by rounding alone: then they differ by chance from their first step on, and repeats measure that.
std::optional<HealthySpread> healthy_spread(const Reference& fine, std::span<const Curve> coarse);

}  // namespace bisectd::driver::judge
