// The engine `ordered`: puts the suspects into an order, finds the first culprit by bisection over prefixes, takes it
// out, and goes on until nothing is left. Trusted for every monotone predicate; knows nothing of fixes, causes or
// verdicts.
#pragma once

#include <span>
#include <vector>

#include "strategies/first_hit.hpp"
#include "strategies/prior.hpp"
#include "strategies/relations.hpp"

namespace bisectd::strategies {

/// Invariant: when complete(), exposing everything but found() is clear, and exposing everything but found() less any
/// one of its members hits (everything: all that is not `out`); both follow from observations by monotonicity alone.
class Ordered {
 public:
  /// `base` is exposed in every trial and `out` in none; neither is searched. `suspects` tell which are dear not to
  /// expose; none: all alike. Prior, relations and history must outlive the engine; the history is what observe() was and
  /// will be called for, in order.
  Ordered(const CulpritPrior& prior, std::span<const Suspect> suspects, const Relations& relations, SuspectSet base,
          SuspectSet out, const std::vector<Observation>& history, std::uint64_t seed);

  /// Takes in the observation just appended to the history.
  void observe(const Observation& seen);

  bool complete() const { return complete_; }
  const std::vector<SuspectId>& found() const { return found_; }  ///< in the order found
  std::vector<SuspectId> others() const;  ///< the suspects searched and not found, in the order they were exposed

  /// Sets to expose now; empty when complete, when it must wait, or when no telling set is left.
  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const;
  /// Sets that said nothing and would decide.
  std::vector<SuspectSet> retries() const;

  /// Probability of being a culprit, per suspect.
  std::vector<double> guilt() const;
  /// Posterior probability that found() is all there is.
  double none_left() const;
  /// Expected number of further trials, if no surprise comes.
  double trials_left() const;

 private:
  FirstHit stage(std::vector<SuspectId> order) const;
  void advance();
  void drop_needless();

  const CulpritPrior& prior_;
  const Relations& relations_;
  SuspectSet base_, out_, acquitted_;
  const std::vector<Observation>& history_;
  Random random_;
  std::vector<SuspectId> found_, dropped_;
  std::size_t attempts_ = 0;  // of other orders, since the last culprit
  bool none_left_ = false, complete_ = false;
  std::vector<SuspectSet> doubtful_;  // once none is left: the sets that would show that a member is needed
  FirstHit stage_;
};

}  // namespace bisectd::strategies
