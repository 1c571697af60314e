// Whether a run that passes was mended, or only comes out right at its end: the replacement of an innocent suspect may be
// as wrong as the fault, the other way.
#pragma once

#include "strategies/evidence_log.hpp"

namespace bisectd::strategies {

/// With this set active the first steps are clearly off, by a tenth or more of what they are off by with `as_is` active.
/// False where those of one of them are not known: nothing can be said then. Both sets as the log holds them.
bool is_as_far_off(const EvidenceLog& log, const Active& as_is, const Active& set);

}  // namespace bisectd::strategies
