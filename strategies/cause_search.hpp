// Which suspects fail only together: the partners of one culprit, or any cause within a set that fails. The same
// bisection as for culprits, with the members found so far always exposed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strategies/first_hit.hpp"
#include "strategies/prior.hpp"

namespace bisectd::strategies {

/// Invariant: with base and members() exposed, some prefix of the remaining order hits; members() is part of every
/// cause within that prefix. When complete(), base and members() hit, and without any one member they are clear. What a
/// member needs to matter is exposed with it.
class CauseSearch {
 public:
  /// `order`: any of these may be a member beside the culprit; without one, base and the whole order are known to hit, base
  /// alone not. Prior, relations and history outlive the search.
  CauseSearch(std::optional<SuspectId> culprit, const CulpritPrior& prior, const Relations& relations, SuspectSet base,
              std::vector<SuspectId> order, const std::vector<Observation>& history, std::uint64_t seed);

  void observe(const Observation& seen);
  bool complete() const { return complete_; }
  const std::vector<SuspectId>& members() const { return members_; }
  std::vector<SuspectSet> ask(std::size_t count, std::span<const SuspectSet> pending) const;
  std::vector<SuspectSet> retries() const { return complete_ ? std::vector<SuspectSet>{} : stage_.silent_cuts(); }

 private:
  FirstHit stage(std::vector<SuspectId> order) const;
  void expose(SuspectId member, std::vector<SuspectId> order);
  void advance();
  std::optional<SuspectSet> guess_third() const;
  std::optional<SuspectId> shown_third() const;

  const CulpritPrior& prior_;
  const Relations& relations_;
  SuspectSet base_;
  const std::vector<Observation>& history_;
  Random random_;
  std::vector<SuspectId> members_;
  std::size_t attempts_ = 0;
  bool complete_ = false;
  FirstHit stage_;
};

}  // namespace bisectd::strategies
