// Who is accused, and an answer as an engine believes it, proved or not.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

struct Accused {
  std::vector<SuspectId> culprit_set;          ///< a minimal fix of the causes, ascending
  std::vector<std::vector<SuspectId>> causes;  ///< each ascending, in ascending order
};

struct Finding : Accused {  ///< its culprit set is the cheapest fix
  /// Causes that fail where others are neutralised, and were seen to do no harm where only the rest of the fix is: no part
  /// of it. Each ascending.
  std::vector<std::vector<SuspectId>> only_beside_others;
  double mass = 0;      ///< posterior probability of the causes
  bool proved = false;  ///< every claim holds
};

/// Whether all members of one of these causes are active.
inline bool any_within(std::span<const std::vector<SuspectId>> causes, const SuspectSet& active) {
  return std::ranges::any_of(causes, [&](const std::vector<SuspectId>& cause) {
    return std::ranges::all_of(cause, [&](SuspectId member) { return active.test(member); });
  });
}

}  // namespace bisectd::strategies
