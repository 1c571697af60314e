// Two faults that cancel each other beside the fix: the fix passes, each verdict agrees with it, and yet the answer leaves
// them out. Only where runs repeat themselves, so that every difference means something, is there a trace of them: in trials
// that the noise hides, and in fails that are off by other than their cause is.
#pragma once

#include <optional>

#include "strategies/evidence_log.hpp"
#include "strategies/finding.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Of the sets that neutralise more than the fix, whose verdicts noise hides, the one that the judge holds most likely to
/// fail, if it does so of any. Null with noise, where a lean means nothing.
const LogEntry* leans_to_fail_with_more_neutralised(const EvidenceLog& log, const Active& always_active,
                                                    const Accused& proved);

/// Of the trials that failed with a single cause active, the one that is off most otherwise (mended.hpp) than that cause
/// alone: what else was active in it. It passes, unless that is more than nothing. Empty: there is no such trial.
std::optional<Active> beside_one_cause(const EvidenceLog& log, const Active& always_active, const Accused& proved);

}  // namespace bisectd::strategies
