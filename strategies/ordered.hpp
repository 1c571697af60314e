// The bisection `ordered`, which leads where no Engine does: puts the suspects into an order, finds the first culprit by
// bisection over prefixes, takes it out, and goes on until nothing is left. Trusted for every monotone predicate; knows
// nothing of fixes, causes or verdicts.
#pragma once

#include <span>
#include <vector>

#include "strategies/bisection.hpp"

namespace bisectd::strategies {

/// Invariant: when complete(), exposing everything but found() is clear, and exposing everything but found() less any
/// one of its members hits (everything: all that is not `out`); both follow from observations by monotonicity alone.
class Ordered : public Bisection {
 public:
  /// See Bisection. `out` is exposed in no trial; neither that nor `base` is searched. `suspects` tell which are dear not to
  /// expose; none: all alike.
  Ordered(const CulpritPrior& prior, std::span<const Suspect> suspects, SuspectSet base, SuspectSet out,
          const std::vector<Observation>& history, std::uint64_t seed);

  void observe(const Observation& seen) override;
  const std::vector<SuspectId>& found() const { return found_; }  ///< in the order found
  std::vector<SuspectId> others() const;  ///< the suspects searched and not found, in the order they were exposed

  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const override;
  std::vector<SuspectSet> retries() const override;

  /// Probability of being a culprit, per suspect.
  std::vector<double> guilt() const;
  /// Posterior probability that found() is all there is.
  double none_left() const;
  /// Expected number of further trials, if no surprise comes.
  double trials_left() const;

 private:
  std::vector<double> weights(const std::vector<SuspectId>& order) const override;
  void advance() override;
  void drop_needless();

  SuspectSet out_, acquitted_;
  std::vector<SuspectId> found_, dropped_;
  bool none_left_ = false;
  std::vector<SuspectSet> doubtful_;  // once none is left: the sets that would show that a member is needed
};

}  // namespace bisectd::strategies
