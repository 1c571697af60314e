// Two suspects that do harm only while one of them is neutralised and the other one is not: a forward operator on the CPU,
// say, whose backward operator on the device expects what only the device leaves. With everything else neutralised each of
// them fails alone, and so looks like a cause, but in the subject as it is both do nothing.
#pragma once

#include <span>
#include <vector>

#include "strategies/evidence_log.hpp"
#include "strategies/relations.hpp"

namespace bisectd::strategies {

/// Of the causes with one member the two that the subject as it is differs without, as if they did nothing there; measured
/// differences add up well enough for that. Empty: none, or not all differences are known. A trial must show whether the fix
/// passes without them.
std::vector<SuspectId> needless_pair(const EvidenceLog& log, const Relations& relations, const Active& always_active,
                                     std::span<const std::vector<SuspectId>> causes);

}  // namespace bisectd::strategies
