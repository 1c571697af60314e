// What a call's tensors differ in beside their numbers. Pure.
#pragma once

#include <string>
#include <vector>

#include "driver/align/recording.hpp"

namespace bisectd::driver::align {

/// Shapes, dtypes, shares of zeros, elements that are not finite, gradients that are missing; "reference, subject" in words.
std::vector<std::string> flags_of(const Recording& reference, const Call& call, const Recording& subject, const Call& other);

}  // namespace bisectd::driver::align
