// The suspects that an engine searches: all but those that are always active, numbered by their place among these. An engine
// that computes with numbers of suspects uses places, everything outside of it ids.
#pragma once

#include <vector>

#include "strategies/prior.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

class Searched {
 public:
  explicit Searched(Active always_active)
      : always_active_(std::move(always_active)), ids_(members_of(neutralised_beside(always_active_))) {}

  std::size_t size() const { return ids_.size(); }
  SuspectId id(std::size_t place) const { return ids_[place]; }
  std::span<const SuspectId> ids() const { return ids_; }  ///< by place, ascending

  /// Which of them are active; a set of places.
  SuspectSet places(const Active& active) const {
    SuspectSet places(size());
    for (std::size_t place = 0; place < size(); ++place)
      if (active.test(ids_[place])) places.set(place);
    return places;
  }
  /// With these active, and those that always are.
  Active active(const SuspectSet& places) const {
    Active active = always_active_;
    for (std::size_t place : members_of(places)) active.set(ids_[place]);
    return active;
  }

  const Active& always_active() const { return always_active_; }
  /// Whether those that are always active were so in this trial: else what it measured is not comparable with other trials,
  /// and that it passed says nothing of them.
  bool is_comparable(const Active& active) const { return always_active_.is_subset_of(active); }

  std::vector<double> odds(const Problem& problem) const { return believed_odds(problem.suspects, ids_); }  ///< by place

 private:
  Active always_active_;
  std::vector<SuspectId> ids_;
};

}  // namespace bisectd::strategies
