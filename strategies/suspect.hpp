// Suspects as the search sees them: numbers with odds. What a suspect is in the world is not known here.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bisectd::strategies {

using SuspectId = std::size_t;  ///< 0 .. n-1

/// A set of suspects; its size() is n.
using SuspectSet = boost::dynamic_bitset<std::uint64_t>;

/// Ascending.
inline std::vector<SuspectId> members_of(const SuspectSet& set) {
  std::vector<SuspectId> members;
  for (SuspectId suspect = set.find_first(); suspect != SuspectSet::npos; suspect = set.find_next(suspect))
    members.push_back(suspect);
  return members;
}

struct Suspect {
  double odds = 1.0;                      ///< prior odds of guilt against an unremarkable suspect; > 0
  double price = 0.0;                     ///< what it costs to keep it neutralised, in any one unit; 0: unknown
  std::vector<SuspectId> only_with = {};  ///< it matters only while all of these are active
  bool stays_active = false;              ///< no trial may neutralise it any more; those that did stay evidence
};

/// What is searched, and how carefully.
struct Problem {
  std::vector<Suspect> suspects;
  std::vector<std::vector<SuspectId>> exclusive = {};  ///< of each group at most one can be neutralised
  double confidence = 0.99;                            ///< wanted chance that the answer is exactly right
  std::optional<double> flip_probability = 0.0;        ///< chance that one verdict is wrong; 0: verdicts are exact; absent:
                                                       ///< unknown, estimated on the way
  std::size_t slots = 1;                               ///< trials that can run at once
  bool budgeted = false;  ///< somebody ends the search in time: what the noise hides is asked again until then
  std::uint64_t seed = 1;
};

/// The same, but any suspect may matter without any other.
inline Problem without_needs(Problem problem) {
  for (Suspect& suspect : problem.suspects) suspect.only_with.clear();
  return problem;
}

}  // namespace bisectd::strategies
