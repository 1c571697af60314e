// Drives one run directory to its end: what `run` and `resume` have in common.
#pragma once

#include <string>

#include "configs/experiment.hpp"
#include "driver/commands/output.hpp"
#include "driver/keep/run_directory.hpp"

namespace bisectd::driver::commands {

/// The experiment of this file. Errors: configs::ConfigError; UsageError when the file cannot be read.
configs::Experiment load(const std::string& file);

/// Works until the answer, whether the run directory is new or was begun by an earlier bisectd, prints the result and
/// returns the program's exit code.
int drive(configs::Experiment& experiment, const keep::RunDirectory& directory, bool accept_changes,
          const OutputOptions& output);

}  // namespace bisectd::driver::commands
