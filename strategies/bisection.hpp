// What the search for culprits (ordered.hpp) and that for the members of one cause (cause_search.hpp) have in common: one
// FirstHit after the other, each of which hears all that was observed so far, in another order where too many of its sets
// say nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategies/first_hit.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies {

class Bisection {
 public:
  Bisection(const Bisection&) = delete;
  Bisection& operator=(const Bisection&) = delete;
  virtual ~Bisection() = default;

  /// Takes in the observation just appended to the history.
  virtual void observe(const Observation& seen);

  bool complete() const { return complete_; }
  /// Sets to expose now; empty when complete, when it must wait, or when no telling set is left.
  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const;
  /// Sets that said nothing and would decide.
  std::vector<SuspectSet> retries() const;

 protected:
  /// `base` is exposed in every trial. Prior and history must outlive it; the history is what observe() was and
  /// will be called for, in order.
  Bisection(const CulpritPrior& prior, SuspectSet base, const std::vector<Observation>& history, std::uint64_t seed);

  /// From now on the question is where the first hit in this order is.
  void search_in(std::vector<SuspectId> order);
  /// What FirstHit needs of an order, by what is known so far.
  virtual std::vector<double> weights(const std::vector<SuspectId>& order) const = 0;
  /// Takes a member, or that there is none, out of every question that is decided, and asks the next.
  virtual void advance() = 0;
  void allow_all_orders_again() { orders_ = 0; }

  const FirstHit& first_hit() const { return first_hit_; }
  /// One that heard the whole history.
  FirstHit heard(std::vector<SuspectId> order, std::vector<double> weight) const;

  const CulpritPrior& prior_;
  SuspectSet base_;
  const std::vector<Observation>& history_;
  Random random_;
  bool complete_ = false;

 private:
  std::size_t orders_ = 0;  // tried beside the first one, for this member
  FirstHit first_hit_;
};

}  // namespace bisectd::strategies
