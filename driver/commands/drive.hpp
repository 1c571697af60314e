// Drives one run directory to its end: what `run` and `resume` have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "configs/loader.hpp"
#include "driver/commands/exit_code.hpp"
#include "driver/commands/output.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/loop/run.hpp"

namespace bisectd::driver::commands {

/// The experiment of this file. Errors: configs::ConfigError; UsageError when the file cannot be read.
configs::Experiment load(const std::string& file, configs::Needed needed = configs::Needed::everything);

struct DriveOptions {
  bool accept_changes = false;
  bool prune = false;               ///< the experiment was turned round (prune_experiment.hpp)
  std::vector<reports::Kept> kept;  ///< of its workaround: what stays in use in every run
  std::string history;              ///< file of past results; empty: beside the run directory
  OutputOptions output;
  /// What is done with a prepared run in place of the search, which may follow later; its exit code.
  std::function<ExitCode(Run&)> before_search;
};

/// Works until the answer, whether the run directory is new or was begun by an earlier bisectd, prints the result and
/// returns the program's exit code. Throws Interrupted.
ExitCode drive(configs::Experiment& experiment, const keep::RunDirectory& directory, const DriveOptions& options);

/// Where a run is to lie: OUT itself if it is a run directory, else a new one in it. The last one in it is gone on with
/// if it is called `prefix`-... and is not finished, unless `fresh`.
struct RunPlace {
  std::string out;
  std::string prefix;
  bool fresh = false;
};
ExitCode drive_in(configs::Experiment& experiment, const RunPlace& place, const DriveOptions& options);

}  // namespace bisectd::driver::commands
