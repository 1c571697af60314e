// What the person allows to be spent on a search.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Of the hours so many seconds are kept back for what follows.
bool hours_spent(const Run& run, double kept_back_s = 0);

/// Trials of the searches count, and discovery runs after the first one.
bool trials_spent(const Run& run);

}  // namespace bisectd::driver
