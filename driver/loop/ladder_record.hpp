// What the trials of single values say about a ladder: how each fared, and which stretch of them passes. Pure.
#pragma once

#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/record/history.hpp"
#include "reports/record.hpp"

namespace bisectd::driver {

/// The reason of a trial that tries one value; by it the journal's trials are told apart.
std::string reason_of_rung(const std::string& family, const std::string& value);

/// Finds the window of `ladder`, whose rungs are in the order of their values: among the numbers, or, where none of them
/// passes, the first other value (`dynamic`, phases) that does.
void find_window(reports::Ladder& ladder);

/// The value that later trials have: the middle of the window, else of those that did not fail, or else of all, the one with
/// the smallest difference. Null if none was measured.
const reports::Rung* rung_to_take(const reports::Ladder& ladder);

/// Every ladder as the journal tells it: the last round of trials that was judged for all its values.
std::vector<reports::Ladder> climbed_ladders(const configs::Experiment& experiment, const History& history);

}  // namespace bisectd::driver
