// What `bisectd prune` adds to a search: how fast the subject is with the whole workaround that is in use.
#pragma once

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// Runs the whole workaround once if that tells what pruning it wins back and no trial did it, and describes what is left
/// of it. To be called when the conclusion is drawn. Throws Interrupted.
void weigh_workaround(Run& run);

}  // namespace bisectd::driver
