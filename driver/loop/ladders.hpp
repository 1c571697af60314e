// Which value of a ladder (the loss scale) neutralises it: a value in the widest window of numbers that pass, else a
// value that is no number. Found before the search, which then sees a ladder as one suspect.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Climbs every ladder among the suspects; the values go into `run.state.rungs`. Throws Interrupted.
void climb_ladders(Run& run);

}  // namespace bisectd::driver
