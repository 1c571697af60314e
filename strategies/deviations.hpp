// Suspects that change the first steps and do no harm: an answer of their own, as they are the next to look at where a
// target becomes stricter.
#pragma once

#include <vector>

#include "strategies/evidence_log.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

struct Deviation {
  SuspectId suspect = 0;
  double size = 0;  ///< greatest difference of a first step from that with everything neutralised, in healthy spreads
};

/// Suspects that were active alone in a trial that passed, and whose first steps differ from those with everything
/// neutralised as clearly as a search by signatures asks for, and by far more than those of sets without it; the greatest
/// first. `always_active`: in every trial. None of the `guilty` is among them: what fails only together with others is
/// harmful all the same.
std::vector<Deviation> harmless_deviations(const EvidenceLog& log, const Active& always_active, const SuspectSet& guilty);

}  // namespace bisectd::strategies
