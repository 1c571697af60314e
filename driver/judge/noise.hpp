// How much a level moves from run to run, and what that leaves to be decided. Numbers in, numbers out: no curves.
#pragma once

#include <span>

namespace bisectd::driver::judge {

/// What repeats of one and the same configuration teach about run-to-run noise.
struct Spread {
  double sum_squares = 0;  ///< of the levels around their mean (fractions squared)
  double dof = 0;          ///< degrees of freedom: repeats that differed, less one; a fraction where estimated
  int identical = 0;       ///< repeats that equalled an earlier run bit for bit
};

/// Spreads of every configuration repeated so far in the experiment; each sharpens all later verdicts. Full-length
/// attempts without events only (Judgement::spread keeps to that).
struct NoisePool {
  Spread total;

  void add(const Spread& spread);
  /// Repeats were made and every one gave the same bits: what is left of a difference is no noise.
  bool deterministic() const { return total.identical > 0 && total.dof == 0; }
};

/// Spread of the levels of distinct repeats of one configuration.
Spread spread_of(std::span<const double> levels);

/// A standard error with its degrees of freedom. `dof` 0: there is no noise, the difference is exact.
struct StandardError {
  double value = 0;
  double dof = 0;
};

/// Pooled standard error of (mean of n candidates - mean of m references); sums of squares and dofs of all spreads add
/// up, the variance is at least `floor_variance`. Sum of dofs >= 1.
StandardError pooled_error(const Spread& references, const Spread& candidates, const Spread& pool, int m, int n,
                           double floor_variance);

/// Variance of the mean of a stretch of one run from the spread of its batch means (at most 10 batches of at least two
/// values). Sees noise within a run, blind to the offset between runs. Less than four values: 0.
struct WithinRun {
  double variance = 0;
  double dof = 0;
};
WithinRun within_run(std::span<const double> differences);

/// Upper quantile of Student's t: P(T > result) = alpha.
double t_quantile(double alpha, double dof);

/// P(|difference| > target), or P(difference > target) if one-sided, with a flat prior; 0 or 1 where error is 0.
double probability_beyond(double target, double difference, const StandardError& error, bool one_sided);

}  // namespace bisectd::driver::judge
