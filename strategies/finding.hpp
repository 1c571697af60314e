// An answer as an engine believes it, proved or not.
#pragma once

#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

struct Finding {
  std::vector<SuspectId> culprit_set;          ///< the cheapest minimal fix of the causes, ascending
  std::vector<std::vector<SuspectId>> causes;  ///< each ascending, in ascending order
  double mass = 0;                             ///< posterior probability of the causes
  bool proved = false;                         ///< every claim holds
};

}  // namespace bisectd::strategies
