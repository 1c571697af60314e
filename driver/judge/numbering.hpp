// Logs of which one counts its steps from 0 and the other from 1: as many steps, each compared with another one.
#pragma once

#include <span>

#include "driver/judge/verdict.hpp"

namespace bisectd::driver::judge {

/// Where the attempt has the steps of the reference, all shifted by one number, a note says so. If it agrees far better with
/// them shifted back, wherever it ends, the difference is one of numbering: a fail becomes inconclusive ("misnumbered").
void doubt_numbering(const Reference& reference, std::span<const Curve> attempts, Judgement& judgement);

}  // namespace bisectd::driver::judge
