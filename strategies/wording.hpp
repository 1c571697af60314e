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

/// Who does harm where only some are neutralised, and which of them may only cancel each other, a sentence for each kind;
/// empty if nobody does.
std::string kept_together_of(const SuspectSet& kept, const SuspectSet& cancelling);

/// Who is needed in the fix and may be no culprit (needless.hpp), in a sentence.
std::string perhaps_innocent_of(SuspectId suspect);

/// Who adds nothing in the subject as it is (needless.hpp), in a sentence.
std::string hidden_as_it_is_of(const std::vector<SuspectId>& suspects);

/// That a verdict which the proof rests on is not sure.
std::string unsure_of(double confidence);

/// That some of the fix may be no culprits, and not which.
inline constexpr const char* kDoNotAddUp =
    "What each cause adds to the run alone is far from what the subject as it is is off by: some of them may be right in "
    "themselves, and only do harm while another one is neutralised and they are not. The fix needs them even so. ";

/// Of an unfinished search. `next`: the trial it would ask for; null: none. `doubted`: what passes may only make up for a
/// fault, so that nothing is said to be proved.
std::string progress(const Phases& phases, const Answer& answer, const Trial* next, bool doubted = false);

}  // namespace bisectd::strategies
