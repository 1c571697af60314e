// `bisectd discover --missing`: what a run computed on the CPU because the device has no kernel for it.
#pragma once

#include "driver/commands/exit_code.hpp"

#include "configs/experiment.hpp"
#include "driver/commands/hand_run.hpp"

namespace bisectd::driver::commands {

/// Prints, of the discovery run that was made, each such member by dtype: lines of the log, seconds where its lines have
/// stamps, and the file of the device's own libraries that has its name. Members that the subject lists itself leave the
/// same lines, and are marked. Returns the exit code.
ExitCode list_missing_kernels(const configs::Experiment& experiment, HandRun& run, bool as_json);

}  // namespace bisectd::driver::commands
