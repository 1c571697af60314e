// The grey-zone t-verdict: a difference, its error and a target give pass, fail or inconclusive. Knows no curves.
#pragma once

#include "configs/experiment.hpp"
#include "driver/judge/noise.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver::judge {

/// How sure the difference is.
enum class Ground {
  repeats,     ///< run-to-run noise was measured
  ensemble,    ///< the spread of healthy devices was measured; repeats of one device share its rounding
  within_run,  ///< nothing shows how far healthy runs are apart: the error is seen from inside one run
};

/// The numbers behind one verdict by level.
struct Comparison {
  double size = 0;      ///< |difference|, or the difference to the worse side if only that counts
  StandardError error;  ///< of it
  Ground ground = Ground::repeats;
  bool last_look = true;            ///< no further attempt can follow
  double cautious = 0;              ///< error by which a fail is decided, where it is larger than the usual one
  HealthyError healthy;             ///< of `ensemble`
  bool off_from_the_start = false;  ///< by more than any rounding, from the first steps on; see difference.hpp
};

/// The error by which a fail is decided.
StandardError cautious_error(const Comparison& comparison);

/// The same without a grey zone: a test of equivalence (two one-sided tests at the target itself), for the certificate
/// and for sign-off.
configs::Acceptance strict(configs::Acceptance accept);

/// Never a pass while size > target, never a fail while size <= target; size is not NaN.
strategies::Verdict decide(const configs::Acceptance& accept, const Comparison& comparison);

/// Minimal detectable effect: a true difference of this size fails nine times in ten.
double detectable(const configs::Acceptance& accept, const Comparison& comparison);

/// Largest run-to-run standard deviation of the level that n attempts against m references decide, nine times in ten,
/// when the true difference is none. `dof`: of the noise as known before the attempts.
double largest_noise(const configs::Acceptance& accept, double dof, int m, int n);

}  // namespace bisectd::driver::judge
