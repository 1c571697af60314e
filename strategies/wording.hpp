// The state of a search in words, with suspects as #3; the driver puts their names in.
#pragma once

#include <string>

#include "strategies/answer.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// Of a final state: why it is final, or what it leaves open. Empty if there is nothing to add. `answer`: all the rest.
std::string explanation(const Phases& phases, const Answer& answer);

/// Who stayed active because with everything neutralised the run fails, too, in a sentence; empty if nobody did.
std::string harm_of(const SuspectSet& left_active);

/// Who does harm where only one of two is neutralised, in a sentence; empty if nobody does.
std::string kept_together_of(const SuspectSet& kept);

/// Of an unfinished search. `next`: the trial it would ask for; null: none.
std::string progress(const Phases& phases, const Answer& answer, const Trial* next);

}  // namespace bisectd::strategies
