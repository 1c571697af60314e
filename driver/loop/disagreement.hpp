// Two trials of one and the same set that their noise does not explain: the device changed during the night, one of several
// is sick, or what makes the subject fail comes and goes. Verdicts of such a night outvote each other without a word.
#pragma once

#include <cstddef>
#include <vector>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Numbers of two trials of the same set, the earlier first: further apart than `target` and than 10 times the noise of runs
/// (or 10 standard errors of both, where these are less). Of trials with the same verdict only whole ones count, as one that
/// was ended early tells how far it was off by then.
struct Disagreement {
  std::size_t before = 0, after = 0;
};

/// All pairs, in the order of the later trial. The noise of runs is what repeats within trials show, or the references
/// (standard deviation), whichever is less. Of 434 made-up searches on devices that stay as they are none had one. Of 33
/// wrong answers on others ("agrees" after failures, "outside", innocents) 32 are not given any more, nor are 56 of 114
/// right ones beside a sick device.
std::vector<Disagreement> disagreements(const History& history, double target, double noise_of_references);

/// Whether there are any; where verdicts are exact, whether the same set passed and failed.
bool some_set_disagrees(const Run& run);

/// Takes back an answer that rests on verdicts outvoting such trials: "agrees", "outside", and a proved one if a set of its
/// certificate both passed and failed so. Another proved one, all of whose claims the controls tried again, gets a warning.
void doubt_disagreement(Run& run);

}  // namespace bisectd::driver
