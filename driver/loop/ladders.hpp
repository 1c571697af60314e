// Which value of a ladder (the loss scale) neutralises it: a value in the widest window of numbers that pass, else a
// value that is no number. Found before the search, which then sees a ladder as one suspect; read again from the journal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/loop/run.hpp"
#include "driver/record/history.hpp"
#include "reports/record.hpp"
#include "strategies/evidence.hpp"

namespace bisectd::driver {

struct PassingWindow {
  std::size_t first = 0, last = 0;
  std::size_t middle() const { return (first + last + 1) / 2; }  ///< of two in the middle the higher
};

/// The longest stretch of passes in the verdicts of ascending values; of two as long the higher one, because too low a
/// loss scale loses silently what too high a one loses loudly. Empty if none passes.
std::optional<PassingWindow> widest_window(const std::vector<strategies::Verdict>& verdicts);

/// Climbs every ladder among the suspects; the values go into `run.state.rungs`. Throws Interrupted.
void climb_ladders(Run& run);

/// The reason of a trial that tries one value; by it the journal's trials are told apart.
std::string reason_of_rung(const std::string& family, const std::string& value);

/// Finds the window of `ladder`, whose rungs are in the order of their values: among the numbers, or, where none of them
/// passes, the first other value (`dynamic`, phases) that does.
void find_window(reports::Ladder& ladder);

/// Of a window that was found beside others: where one value in it changes the subject more by itself than the one taken so
/// far, by more than the target, that one is taken, or the middle of as many as change as much. With everything else
/// neutralised the value that is at fault passes, too, where it only matters with an operator, and what changes nothing
/// neutralises nothing: "alone" was said of such an operator in 19 of 48 made-up searches, now in none of 46.
/// `alone`: how each value fared by itself; `suspect`: the subject's own value; without it nothing changes.
void take_what_changes(reports::Ladder& ladder, const std::vector<reports::Rung>& alone, const std::string& suspect,
                       double target);

/// The value that later trials have: what is taken of the window, else of those that did not fail, or else of all, the one
/// with the smallest difference. Null if none was measured.
const reports::Rung* rung_to_take(const reports::Ladder& ladder);

/// Every ladder as the journal tells it: the last round of trials that was judged for all its values.
std::vector<reports::Ladder> climbed_ladders(const configs::Experiment& experiment, const History& history);

}  // namespace bisectd::driver
