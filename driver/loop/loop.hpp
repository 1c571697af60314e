// What bisectd does with one experiment, from the first launch to the conclusion. Reads like the drawing in
// ARCHITECTURE.md.
#pragma once

#include "driver/loop/night.hpp"

namespace bisectd::driver {

/// The whole search. To the end, or throws Interrupted; reports are on disk in any case.
const reports::Record& run_loop(Night& night);

/// What a person tries by hand: the references, then the subject with every suspect of the experiment neutralised. The
/// trial is the record's last one. Throws Interrupted.
const reports::Record& run_one_trial(Night& night);

}  // namespace bisectd::driver
