// How likely the rows are, given which patterns of activity add a direction of their own to a signature. The signature of a
// trial is Gaussian: each component (a cause, or two causes together) contributes a vector that is the same in all trials it
// is active in, its steps independent with one variance; noise and the rounding of healthy suspects come on top. This is
// sparse Bayesian learning with several measurement vectors (Wipf and Rao, "An empirical Bayesian strategy for solving the
// simultaneous sparse approximation problem", IEEE TSP 55, 2007); variances are maximised in closed form (Tipping and Faul,
// "Fast marginal likelihood maximisation for sparse Bayesian models", AISTATS 2003).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategies/signatures/rows.hpp"

namespace bisectd::strategies::signatures {

class Likelihood {
 public:
  /// Noise alone: of variance `noise`, and a `share` of the row's own size. `background`: variance that all healthy suspects
  /// together contribute when all of them are active.
  Likelihood(const Rows& rows, const Matrix& whitened, double noise, double share, double background);

  /// What a component with this pattern would gain at its best variance, in nats; 0 if it should not be there.
  struct Gain {
    double nats = 0, variance = 0;
  };
  Gain gain(std::span<const std::uint64_t> pattern) const;
  /// Adding the same pattern again adds to its variance.
  void add(const Pattern& pattern, double variance);
  double nats() const { return nats_; }  ///< log marginal likelihood, but for a constant of the rows

  /// Per row, the sum of squares that no component explains, in units of what is expected.
  std::vector<double> unexplained() const;

  /// Variances of components with these patterns, none of which was added: each in turn at its best given the others.
  std::vector<double> best_variances(const std::vector<Pattern>& patterns) const;

 private:
  Matrix inverse_;   // of the covariance of the rows
  Matrix weighted_;  // that times the rows
  double nats_ = 0;
  mutable std::vector<std::size_t> scratch_rows_;  // of gain(), which is called very often
  mutable std::vector<double> scratch_;
};

}  // namespace bisectd::strategies::signatures
