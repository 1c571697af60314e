// Which few suspects explain the measured differences as a sum of effects? Sparse regression by beam search. Knows
// numbers and columns only: no verdicts, no log.
#pragma once

#include <cstddef>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies::additive {

/// difference(trial) = offset + sum of the effects of its active culprits + noise, the noise of each trial known.
class Regression {
 public:
  explicit Regression(std::size_t suspects) : columns_(suspects) {}

  /// `error` > 0: standard deviation of the noise of this trial.
  void add(const SuspectSet& active, double difference, double error);
  std::size_t size() const { return target_.size(); }
  double typical_error() const;  ///< root mean square

  /// A set of suspects with its least-squares fit.
  struct Fit {
    std::vector<std::size_t> support;  ///< ascending
    double chi2 = 0;                   ///< residual sum of squares in units of the noise; size() - 1 - |support| d.o.f.
    std::vector<double> effect;        ///< by `support`
    double offset = 0;
  };
  /// The best fits found of the fewest suspects that explain every difference to within the noise (chi2 within 4.5
  /// standard deviations of its mean), the best first; empty if none of at most `most` suspects does.
  std::vector<Fit> explain(std::size_t most) const;

 private:
  Fit fit(std::vector<std::size_t> support) const;
  double tolerated(std::size_t support) const;

  std::vector<std::vector<double>> columns_;  // per suspect: 1 / error where active, else 0
  std::vector<double> unit_, target_;         // the column of the offset; differences over their errors
};

}  // namespace bisectd::strategies::additive
