// Is the same set worth another trial? The one place that counts how often a set was asked in vain.
#pragma once

#include "strategies/evidence_log.hpp"

namespace bisectd::strategies {

/// Whether another trial of a set that neither passed nor failed so far may decide it. `entry`: null if it was never told.
bool worth_asking(const EvidenceLog& log, const LogEntry* entry);

/// Whether the noise hides the answer of this set, so that nothing but more trials can tell: it runs, and was judged as
/// often as worth_asking() allows.
bool hidden_by_noise(const EvidenceLog& log, const LogEntry* entry);

/// Whether verdicts that are never wrong say of one set both that it passes and that it fails, and more of them may tell.
bool is_disputed(const EvidenceLog& log, const LogEntry& entry);

/// Whether another trial of one side of a contradiction may give it up.
bool worth_settling(const EvidenceLog& log, const LogEntry& entry);

/// Whether noise leaves this end open after so many trials that the search goes on without its verdict: other trials show it
/// as well.
bool may_stay_open(const EvidenceLog& log, const LogEntry& end);

/// Whether the last trials, with so many slots, said nothing, or hardly anything, for so long that the next would not
/// either. `known`: a set that is asked only to see whether anything runs at all; it does not count.
bool all_is_silent(const EvidenceLog& log, std::size_t slots, const LogEntry* known);

/// So many sets in a row that said nothing are enough for an engine that another one can go on from.
std::size_t most_silent_sets(std::size_t slots);

}  // namespace bisectd::strategies
