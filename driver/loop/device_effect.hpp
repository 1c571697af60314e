// A device that computes otherwise than the others: what runs show then depends on where they ran, and no verdict of the
// night means what it says.
#pragma once

#include <optional>
#include <string>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// One sentence that names two devices, if runs of the same sets always end further off on one of them than on the other, by
/// more than `target`, and runs on one device agree. At least four sets must have run on both: by luck a fault that comes
/// and goes in half of the runs looks like this on three sets in 2 * (1/4)^3 = 3 % of pairs of devices, on four in 0.8 %.
std::optional<std::string> device_effect(const History& history, double target);

/// Takes the answer back where devices differ so, and nothing is proved; a proved one, which the controls bore out, gets a
/// warning.
void doubt_devices(Run& run);

}  // namespace bisectd::driver
