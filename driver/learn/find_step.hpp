// Where the step of a value stands: beside it, in another line, begun again with each epoch; in lines of several processes
// or of a bar that is refreshed.
#pragma once

#include "driver/learn/reading.hpp"

namespace bisectd::driver::learn {

/// Fills in where the step stands, for these rows. Throws Refusal.
void find_step(Found& found, Rows rows, const LogKinds& log);

}  // namespace bisectd::driver::learn
