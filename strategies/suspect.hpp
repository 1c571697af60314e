// Suspects as the search sees them: numbers with odds. What a suspect is in the world is not known here.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bisectd::strategies {

using SuspectId = std::size_t;  ///< 0 .. n-1

/// A set of suspects; its size() is n. Which of them a trial leaves active and which it neutralises are types of their own.
using SuspectSet = boost::dynamic_bitset<std::uint64_t>;

struct Neutralised;

/// The suspects that are active in a trial; all others are neutralised.
struct Active : SuspectSet {
  Active() = default;
  explicit Active(SuspectSet suspects) : SuspectSet(std::move(suspects)) {}
  explicit Active(const Neutralised&) = delete;  // active_beside() is meant
  SuspectSet operator~() const = delete;         // neutralised_beside() is meant
};

/// The suspects that are neutralised in a trial; all others are active.
struct Neutralised : SuspectSet {
  Neutralised() = default;
  explicit Neutralised(SuspectSet suspects) : SuspectSet(std::move(suspects)) {}
  explicit Neutralised(const Active&) = delete;
  SuspectSet operator~() const = delete;
};

/// The subject as it is: nothing is neutralised.
inline Active as_it_is(std::size_t suspects) { return Active(SuspectSet(suspects).set()); }

/// The same trial from the other side.
inline Active active_beside(const Neutralised& neutralised) { return Active(~static_cast<const SuspectSet&>(neutralised)); }
inline Neutralised neutralised_beside(const Active& active) { return Neutralised(~static_cast<const SuspectSet&>(active)); }

/// These, and what is active always.
inline Active only_active(std::span<const SuspectId> members, Active always_active) {
  for (SuspectId member : members) always_active.set(member);
  return always_active;
}

/// The subject with this fix.
inline Active all_but(std::span<const SuspectId> fix, std::size_t suspects) {
  Active active = as_it_is(suspects);
  for (SuspectId suspect : fix) active.reset(suspect);
  return active;
}

/// Ascending.
inline std::vector<SuspectId> members_of(const SuspectSet& set) {
  std::vector<SuspectId> members;
  for (SuspectId suspect = set.find_first(); suspect != SuspectSet::npos; suspect = set.find_next(suspect))
    members.push_back(suspect);
  return members;
}

struct Suspect {
  double odds = 1.0;          ///< prior odds of guilt against an unremarkable suspect; > 0
  double price = 0.0;         ///< what it costs to keep it neutralised, in any one unit; 0: unknown
  bool stays_active = false;  ///< no trial may neutralise it any more; those that did stay evidence
};

/// What is searched, and how carefully.
struct Problem {
  std::vector<Suspect> suspects;
  double confidence = 0.99;                      ///< wanted chance that the answer is exactly right
  std::optional<double> flip_probability = 0.0;  ///< chance that one verdict is wrong; 0: verdicts are exact; absent:
                                                 ///< unknown, estimated on the way
  std::size_t slots = 1;                         ///< trials that can run at once
  bool budgeted = false;  ///< somebody ends the search in time: what the noise hides is asked again until then
  std::uint64_t seed = 1;
};

}  // namespace bisectd::strategies
