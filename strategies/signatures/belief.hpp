// What the first steps make likely: which causes there are, and who may be in each. Whether a cause does harm is not known
// here; verdicts tell (accusation.hpp).
#pragma once

#include "strategies/evidence_log.hpp"
#include "strategies/random.hpp"
#include "strategies/signatures/explanation.hpp"

namespace bisectd::strategies::signatures {

class Belief {
 public:
  /// Suspects in `always_active` are not searched. All but the problem must outlive it.
  Belief(const Problem& problem, const Active& always_active, const EvidenceLog& log);

  /// Takes in the signatures told since the last time; after any that is comparable explain() is due.
  bool take_in();
  /// Finds the causes anew, where `off` is neutralised from now on. False, and the causes stay as they were, if the
  /// signature of everything else active is not known or tells nothing.
  bool explain(const SuspectSet& off);

  const Explanation& causes() const { return causes_; }  ///< the greatest first
  bool rest_may_be_healthy() const { return explainer_.rest_may_be_healthy(); }

  /// Up to `count` trials that split what is believed of all causes in half, given that those in `running` run anyway;
  /// `off` is neutralised in each, and none was told before.
  std::vector<Active> splits(std::size_t count, std::span<const Neutralised> running, const SuspectSet& off,
                             Random random) const;

 private:
  const EvidenceLog& log_;
  const Active always_active_;  // in no row and no split
  Explainer explainer_;
  Rows rows_;
  std::size_t heard_ = 0;  // of what the log was told
  Explanation causes_;
};

}  // namespace bisectd::strategies::signatures
