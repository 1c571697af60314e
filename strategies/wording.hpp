// The state of a search in words, with suspects as #3 (suspect_numbers.hpp); the driver puts their names in.
#pragma once

#include <string>

#include "strategies/answer.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// Of a final state: why it is final, or what it leaves open. Empty if there is nothing to add. `answer`: all the rest.
/// `doubted`: as for progress().
std::string explanation(const Phases& phases, const Answer& answer, bool doubted = false);

/// Who stayed active because neutralising them does harm, in a sentence; empty if nobody did.
std::string harm_of(const SuspectSet& left_active);

/// Who does harm where only some are neutralised, in a sentence; empty if nobody does.
std::string kept_together_of(const SuspectSet& kept);

/// That a verdict which the proof rests on is not sure.
std::string unsure_of(double confidence);

/// That some of the fix may be no culprits, and not which.
inline constexpr const char* kMayHoldInnocent =
    "What the causes add to the run, each alone, is not what the subject as it is is off by: some of them may be right in "
    "themselves, and only do harm while another one is neutralised and they are not, or one hides another. The fix needs "
    "them "
    "even so. ";

/// Of an unfinished search. `next`: the trial it would ask for; null: none. `doubted`: what passes may only make up for a
/// fault, so that nothing is said to be proved.
std::string progress(const Phases& phases, const Answer& answer, const Trial* next, bool doubted = false);

}  // namespace bisectd::strategies
