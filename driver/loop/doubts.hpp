// Trials that contradict each other. A device computes otherwise than the others: what runs show then depends on where they
// ran. Or two trials of one and the same set differ by more than their noise: the device changed during the night, one of
// several is sick, or what makes the subject fail comes and goes. Verdicts of such a night outvote each other without a
// word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// One sentence that names two devices, if runs of the same sets always end further off on one of them than on the other, by
/// more than `target`, and runs on one device agree. At least four sets must have run on both: by luck a fault that comes
/// and goes in half of the runs looks like this on three sets in 2 * (1/4)^3 = 3 % of pairs of devices, on four in 0.8 %.
std::optional<std::string> device_effect(const History& history, double target);

/// One run of some set, and how far off it ended.
struct RunOnDevice {
  std::string device;
  double delta = 0;  ///< Judged::delta
};

/// The same of runs of a single set: those on one device, `each` of them or more, all end further off than those on another,
/// by more than `target` and by more than five times what runs on one device are apart. Where chance alone sets them apart,
/// two runs on each of two devices look like this in 1 % of cases, three in 0.0075 %, four in none of 10^6 (drawn).
std::optional<std::string> device_effect_in(std::span<const RunOnDevice> runs, std::size_t each, double target);

/// Whether runs of the subject as it is, whose verdict is known, depend on where they ran: if it seems so, it runs some
/// times more, to be sure. One sentence, or nothing. Throws Interrupted, Infrastructure.
std::optional<std::string> differing_devices(Run& run, const FinishedTrial& subject);

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

/// The last doubts before the conclusion. Takes the answer back where devices differ so, and nothing is proved; a proved
/// one, which the controls bore out, gets a warning. Takes back one that rests on verdicts outvoting trials that disagree:
/// "agrees", "outside", and a proved one if a set of its certificate both passed and failed so. Another proved one, all of
/// whose claims the controls tried again, gets a warning.
void doubt_answer(Run& run);

}  // namespace bisectd::driver
