// What the runs of trials show beside their verdicts: suspects that left a trace of being off, and those that their logs say
// cannot be neutralised.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// To be called before the trial's verdict is journaled: behind it, a kill would lose what they are.
void journal_findings(Run& run, const FinishedTrial& finished);

/// Neutralised members that the log of a trial without a verdict names: the search need not look for what broke it.
std::vector<strategies::SuspectId> refused_in(const Run& run, const FinishedTrial& finished);

/// Suspects that were neutralised, in a family that leaves traces, and left none; why, as far as a log says it.
std::map<strategies::SuspectId, std::string> without_effect(const Run& run);

/// What is told of a trial by hand, beside which nothing runs with nothing neutralised: only a missing trace shows.
std::vector<std::string> notes_without_effect(const Run& run, const FinishedTrial& finished);

}  // namespace bisectd::driver
