// Reads the loss scale from lines in which a framework says that it changes it. Knows no trainer and no step.
#pragma once

#include <optional>

#include "driver/read/line.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// The scale that the line tells, finite and above 0: the new one, or where only the old one is told (PaddlePaddle), that.
std::optional<double> told_scale(const Line& line);

/// What such a line contains.
Needed needed_for_scale();

}  // namespace bisectd::driver::read
