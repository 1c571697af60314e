// The state of a search in words, with suspects as #3 (suspect_numbers.hpp); the driver puts their names in.
#pragma once

#include <string>

#include "strategies/answer.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// Of a final state: why it is final, or what it leaves open. Empty if there is nothing to add. `answer`: all the rest.
/// `doubted`: as for progress().
std::string explanation(const Phases& phases, const Answer& answer, bool doubted = false);

/// What a proof leaves in doubt: `harmful` stayed active, as neutralising them does harm; `kept` as well, who do so where
/// only some are neutralised; some of the fix may be no culprits, and not which; a verdict that it rests on has this
/// probability (1: all are sure). Empty if nothing does.
std::string doubts_of_proof(const SuspectSet& harmful, const SuspectSet& kept, bool may_hold_innocent, double surety);

/// Of an unfinished search. `next`: the trial it would ask for; null: none. `doubted`: what passes may only make up for a
/// fault, so that nothing is said to be proved.
std::string progress(const Phases& phases, const Answer& answer, const Trial* next, bool doubted = false);

}  // namespace bisectd::strategies
