// What is known beforehand about suspects and each other: some matter only while others are active, and of some only one
// can be neutralised. Active sets that have the same effect are brought to one form, so that none is run twice and no
// trial is spent on finding what was told.
#pragma once

#include <span>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

class Relations {
 public:
  /// Throws std::invalid_argument if a suspect needs itself, or one that does not exist is named.
  explicit Relations(const Problem& problem);

  /// Without the suspects that cannot matter: the smallest set with the effect of `active`.
  Active effective(Active active) const { return Active(effective(SuspectSet(std::move(active)))); }
  /// The same of sets that are active for one predicate and not for another (observation.hpp).
  SuspectSet effective(SuspectSet exposed) const;
  /// With every suspect that would not matter: the largest set with the effect of `active`, so the one that needs the
  /// fewest neutralised.
  Active widest(const Active& active) const;
  /// With all that its members need to matter.
  std::vector<SuspectId> with_needs(std::span<const SuspectId> members) const;  ///< ascending

  /// Only these, what they need to matter, and what is active always.
  Active alone(std::span<const SuspectId> members, const Active& always_active) const;

  /// Without the members that another one needs anyhow.
  std::vector<SuspectId> outermost(std::span<const SuspectId> members) const;
  /// Stable, each suspect behind all that it needs.
  std::vector<SuspectId> needed_first(std::vector<SuspectId> order) const;

  /// Each suspect's rank becomes the greatest of its own and of those of all that it needs.
  void raise_to_needs(std::span<std::uint32_t> rank) const;

  /// The smallest sets that are allowed, likely ones first: in each exclusive group all but one stay active, and
  /// what stays active anyhow. One set where there are no groups; at most configs::kMostChoices.
  const std::vector<Active>& least_active_sets() const { return least_active_; }

  /// The same over some of the suspects (ascending), numbered by their place; the others are active.
  Relations among(std::span<const SuspectId> kept) const;

 private:
  Relations() = default;
  void sort_dependents();

  std::vector<std::vector<SuspectId>> needs_;  // by suspect, as told
  std::vector<SuspectId> dependents_;          // that need another one; each behind all that it needs
  std::vector<Active> least_active_;
};

}  // namespace bisectd::strategies
