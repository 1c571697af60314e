// The subject's two ends, where the reference does not decide about the one that is as it is.
#pragma once

#include <string>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Runs the subject with everything neutralised, and each end some times more in another arithmetic. If the two differ and
/// hold, trials are judged by which of them they look like, from now on. Returns why they cannot be; empty: they are. The
/// suspects are listed. Throws Infrastructure, Interrupted.
std::string search_between_ends(Run& run, const FinishedTrial& as_is);

}  // namespace bisectd::driver
