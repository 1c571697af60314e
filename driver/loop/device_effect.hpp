// A device that computes otherwise than the others: what runs show then depends on where they ran, and no verdict of the
// night means what it says.
#pragma once

#include <optional>
#include <span>
#include <string>

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

/// Takes the answer back where devices differ so, and nothing is proved; a proved one, which the controls bore out, gets a
/// warning.
void doubt_devices(Run& run);

}  // namespace bisectd::driver
