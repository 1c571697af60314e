// How much a level moves from run to run, and what that leaves to be decided. Numbers in, numbers out: no curves.
#pragma once

#include <span>

namespace bisectd::driver::judge {

/// What repeats of one and the same configuration teach about run-to-run noise. Levels are taken over two windows, the
/// final one and the one before it, and by their deviation from the mean of the repeats. Spreads of different
/// configurations add up member by member.
struct Spread {
  double last = 0;    ///< sum of squares in the final window
  double before = 0;  ///< in the window before it
  double both = 0;    ///< sum of products: large when a run keeps its offset, small when runs wander
  int dof = 0;        ///< degrees of freedom of one window: repeats that differed, less one
  int identical = 0;  ///< repeats that equalled an earlier run bit for bit

  Spread& operator+=(const Spread& other);
};

/// Spreads of every configuration repeated so far in the experiment, of one metric; each sharpens all later verdicts.
/// Full-length attempts without events only (Judgement::spreads keeps to that).
struct NoisePool {
  Spread total;

  void add(const Spread& spread) { total += spread; }
  /// Repeats were made and every one gave the same bits: what is left of a difference is no noise.
  bool deterministic() const { return total.identical > 0 && total.dof == 0; }
};

/// Spread of distinct repeats of one configuration; `before` has the size of `last`, or is empty when a run is too
/// short for a second window.
Spread spread_of(std::span<const double> last, std::span<const double> before = {});

/// Variance of one run's level, with its degrees of freedom. The mean of the variances of two windows with correlation
/// rho has 2 dof / (1 + rho^2) of them (Satterthwaite): twice as many when runs wander, no more when they keep an
/// offset. rho^2 is estimated, and by chance alone comes out as 1 / dof: an error on the careful side.
struct Variance {
  double value = 0;
  double dof = 0;  ///< 0: nothing is known
};
Variance variance_of(const Spread& spread);

/// A standard error with its degrees of freedom. `dof` 0: there is no noise, the difference is exact.
struct StandardError {
  double value = 0;
  double dof = 0;
};

/// Of (mean of n candidates - mean of m references), equal variances; the variance is at least `floor`.
StandardError standard_error(const Variance& variance, int m, int n, double floor);

/// Upper quantile of Student's t: P(T > result) = alpha.
double t_quantile(double alpha, double dof);

/// P(|difference| > target), or P(difference > target) if one-sided, with a flat prior; 0 or 1 where error is 0.
double probability_beyond(double target, double difference, const StandardError& error, bool one_sided);

}  // namespace bisectd::driver::judge
