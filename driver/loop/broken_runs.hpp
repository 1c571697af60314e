// Runs that broke and were made again: they leave no verdict, but a person must know of them.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Warns of those of the subject as it is, unless breaking is what is searched, and of those with the culprit set
/// neutralised.
void warn_of_broken_runs(Run& run);

}  // namespace bisectd::driver
