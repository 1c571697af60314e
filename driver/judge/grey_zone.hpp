// Where runs differ by chance: a difference, its error and a target give pass, fail or inconclusive. Knows no curves.
#pragma once

#include "configs/experiment.hpp"
#include "driver/judge/noise.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::judge {

/// The numbers behind one verdict by repeats.
struct Comparison {
  double size = 0;        ///< |difference|, or the difference to the worse side if only that counts
  StandardError error;    ///< of it
  bool last_look = true;  ///< no further attempt can follow
};

/// The same without a grey zone: a test of equivalence (two one-sided tests at the target itself), for the certificate
/// and for sign-off.
configs::Acceptance strict(configs::Acceptance accept);

/// pass: size <= target and size + c error < grey target; fail: size > target and size - c error > target / grey; else
/// inconclusive. c from Student's t, its chance of error spent over the looks after each attempt, as in group-sequential
/// trials. Size is not NaN.
strategies::Verdict decide(const configs::Acceptance& accept, const Comparison& comparison);

/// Minimal detectable effect: a true difference of this size fails nine times in ten.
double detectable(const configs::Acceptance& accept, const Comparison& comparison);

/// Largest run-to-run standard deviation of the level that n attempts against m references decide, nine times in ten,
/// when the true difference is none. `dof`: of the noise as known before the attempts.
double largest_noise(const configs::Acceptance& accept, double dof, int m, int n);

}  // namespace bisectd::driver::judge
