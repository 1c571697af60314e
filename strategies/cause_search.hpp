// Which suspects fail only together: the partners of one culprit, or any cause within a set that fails. A bisection like
// that for culprits, with the members found so far always exposed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strategies/bisection.hpp"

namespace bisectd::strategies {

/// Invariant: with base and members() exposed, some prefix of the remaining order hits; members() is part of every
/// cause within that prefix. When complete(), base and members() hit, and without any one member they are clear.
class CauseSearch : public Bisection {
 public:
  /// See Bisection. `order`: any of these may be a member beside the culprit; without one, base and the whole order are
  /// known to hit, base alone not.
  CauseSearch(std::optional<SuspectId> culprit, const CulpritPrior& prior, SuspectSet base, std::vector<SuspectId> order,
              const std::vector<Observation>& history, std::uint64_t seed);

  const std::vector<SuspectId>& members() const { return members_; }

 private:
  std::vector<double> weights(const std::vector<SuspectId>& order) const override;
  void expose(SuspectId member, std::vector<SuspectId> order);
  void advance() override;

  std::vector<SuspectId> members_;
};

}  // namespace bisectd::strategies
