// The bisection that leads where no Engine does: puts suspects into an order, finds by bisection over its beginnings where
// the predicate first hits, and goes on beside that. Either for culprits, each of which is taken out until nothing is left
// to find, or for the members of one cause, each of which stays exposed. Trusted for every monotone predicate; knows nothing
// of fixes or verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strategies/first_hit.hpp"

namespace bisectd::strategies {

/// What follows from observations by monotonicity alone. For culprits: when complete(), exposing everything but found() is
/// clear (everything: all that is not `out`), and under one order each of them is needed for that. For the members of a
/// cause: with base and found() exposed some beginning of the remaining order hits, and found() is part of every cause
/// within that; when complete(), base and found() hit, and without any one of found() they are clear.
class Bisection {
 public:
  /// For culprits. `base` is exposed in every trial, `out` in none; neither is searched. `suspects` tell which are dear not
  /// to expose; none: all alike. Odds and history must outlive it; the history is what observe() was and will be called for,
  /// in order.
  Bisection(const std::vector<double>& odds, std::span<const Suspect> suspects, SuspectSet base, const SuspectSet& out,
            const std::vector<Observation>& history, std::uint64_t seed);
  /// For the members of one cause. `order`: any of these may be one beside the culprit; without a culprit, base and the
  /// whole order are known to hit, base alone not.
  Bisection(const std::vector<double>& odds, SuspectSet base, std::optional<SuspectId> culprit, std::vector<SuspectId> order,
            const std::vector<Observation>& history, std::uint64_t seed);
  Bisection(const Bisection&) = delete;
  Bisection& operator=(const Bisection&) = delete;

  /// Takes in the observation just appended to the history.
  void observe(const Observation& seen);

  bool complete() const { return complete_; }
  const std::vector<SuspectId>& found() const { return found_; }  ///< in the order found
  /// The suspects searched and not found, in the order they were exposed.
  const std::vector<SuspectId>& others() const { return first_hit_.order(); }
  /// Sets to expose now; empty when complete, when it must wait, or when no telling set is left.
  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const;
  /// Sets that said nothing and would decide.
  std::vector<SuspectSet> retries() const;

  /// For culprits: the probability of being one, per suspect.
  std::vector<double> guilt() const;
  /// Posterior probability that found() is all there is.
  double none_left() const;
  /// Expected number of further trials, if no surprise comes.
  double trials_left() const;

 private:
  Bisection(const std::vector<double>& odds, SuspectSet base, bool of_cause, const std::vector<Observation>& history,
            std::uint64_t seed);
  void take_in_history();
  void search_in(std::vector<SuspectId> order);
  void take(SuspectId member, std::vector<SuspectId> order);

  const std::vector<double>& odds_;
  SuspectSet base_, acquitted_;
  const bool of_cause_;
  const std::vector<Observation>& history_;
  Random random_;
  std::vector<SuspectId> found_;
  std::size_t orders_ = 0;  // tried beside the first one, for this member
  bool complete_ = false;
  FirstHit first_hit_;
};

}  // namespace bisectd::strategies
