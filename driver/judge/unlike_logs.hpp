// Logs whose numbers do not mean what the reference's mean: no difference between them is a matter of the training.
#pragma once

#include <optional>

#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {

/// Problem steps-begin-again (each epoch has steps of its own) or smoothed-otherwise (a mean over other numbers of steps).
std::optional<Problem> unlike_logs(const Reference& reference, const Curve& run);

}  // namespace bisectd::driver::judge
