// The bisection `ordered`, which leads where no Engine does: puts the suspects into an order, finds the first culprit by
// bisection over prefixes, takes it out, and goes on until nothing is left. Trusted for every monotone predicate; knows
// nothing of fixes, causes or verdicts.
#pragma once

#include <span>
#include <vector>

#include "strategies/bisection.hpp"

namespace bisectd::strategies {

/// Invariant: when complete(), exposing everything but found() is clear (everything: all that is not `out`), which follows
/// from observations by monotonicity alone; so does, under one order, that each member is needed.
class Ordered : public Bisection {
 public:
  /// See Bisection. `out` is exposed in no trial; neither that nor `base` is searched. `suspects` tell which are dear not to
  /// expose; none: all alike.
  Ordered(const CulpritPrior& prior, std::span<const Suspect> suspects, SuspectSet base, SuspectSet out,
          const std::vector<Observation>& history, std::uint64_t seed);

  void observe(const Observation& seen) override;
  const std::vector<SuspectId>& found() const { return found_; }  ///< in the order found
  /// The suspects searched and not found, in the order they were exposed.
  const std::vector<SuspectId>& others() const { return first_hit().order(); }

  /// Probability of being a culprit, per suspect.
  std::vector<double> guilt() const;
  /// Posterior probability that found() is all there is.
  double none_left() const;
  /// Expected number of further trials, if no surprise comes.
  double trials_left() const;

 private:
  std::vector<double> weights(const std::vector<SuspectId>& order) const override;
  void advance() override;

  SuspectSet out_, acquitted_;
  std::vector<SuspectId> found_;
};

}  // namespace bisectd::strategies
