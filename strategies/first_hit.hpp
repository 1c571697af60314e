// Where, in a sequence of suspects exposed one after the other, does the predicate first hit? The one bisection that
// every noise-free question of the search is made of: the next culprit, the next partner in an interaction, the next
// suspect that cannot be neutralised.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "strategies/random.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// What one trial showed about a monotone predicate over sets of suspects: a set that hits still hits when it grows. The
/// main search exposes active suspects and a failure is a hit; the search for suspects that cannot be neutralised exposes
/// neutralised ones and a crash is a hit. The bisections do not know which of the two they serve.
enum class Outcome {
  hit,
  clear,
  nothing,  ///< no evidence either way
};

struct Observation {
  SuspectSet exposed;
  Outcome outcome = Outcome::nothing;
};

/// Unknown: m, the length of the shortest prefix of `order` that hits when exposed beside `base`; 0: base alone hits;
/// N+1: not even the whole order does. Invariant, for every monotone predicate that agrees with what was observed:
/// low() <= m <= high().
class FirstHit {
 public:
  /// `weight` holds N+2 prior weights of m, not normalised.
  FirstHit(SuspectSet base, std::vector<SuspectId> order, std::vector<double> weight);

  /// Takes in any observation of the predicate, whatever its set; what does not bear on m is ignored.
  void observe(const Observation& seen);

  std::size_t low() const { return low_; }
  std::size_t high() const { return high_; }
  bool decided() const { return low_ >= high_; }
  const std::vector<SuspectId>& order() const { return order_; }

  /// base and the first `length` of the order.
  SuspectSet prefix(std::size_t length) const;

  /// Up to `count` prefixes that tell most of m, given that those among `pending` are already on their way; none that is
  /// known to say nothing.
  std::vector<SuspectSet> cuts(std::size_t count, std::span<const SuspectSet> pending) const;

  /// The prefixes that could cut but are known to say nothing: worth a second try when nothing else is left.
  std::vector<SuspectSet> silent_cuts() const;

  /// Posterior of m (sums to 1; zero outside low..high).
  std::vector<double> posterior() const;

  /// The prefixes that would tell most say nothing: another order is due.
  bool starved() const;

  /// Another order for the same question. The suspects still in question are shuffled, so that other sets decide just as
  /// much; when that cannot be or did not help (`attempt` > 0), half of the cleared ones move behind them and, later, a
  /// few of those behind before them: any order is sound, since observe() only draws conclusions that hold for every
  /// monotone predicate.
  std::vector<SuspectId> reordered(std::size_t attempt, Random& random) const;

 private:
  std::vector<bool> taken_by(std::span<const SuspectSet> pending) const;
  std::optional<std::size_t> nearest_telling(double target, std::span<const double> sum, const std::vector<bool>& taken,
                                             std::span<const SuspectSet> pending) const;
  bool says_nothing(const SuspectSet& set) const { return silent_.contains(set); }

  SuspectSet base_, reachable_;
  std::vector<SuspectId> order_;
  std::vector<double> weight_;
  std::size_t low_ = 0, high_;
  std::set<SuspectSet> silent_;
};

}  // namespace bisectd::strategies
