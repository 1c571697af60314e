// A run directory that a command looks at without driving it: what `status`, `report` and `accept` have in common.
#pragma once

#include <optional>
#include <string>

#include "configs/experiment.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/record/history.hpp"

namespace bisectd::driver::commands {

struct SeenRun {
  keep::RunDirectory directory;
  History history;
  std::optional<int> process;  ///< the bisectd that drives it now
};

/// Errors: UsageError for a folder that is no run directory.
keep::RunDirectory open_run(const std::string& folder);

/// Errors: those of open_run(); keep::JournalDamaged.
SeenRun see_run(const std::string& folder);

/// The experiment of a run. Errors: UsageError when its file is gone or says something else than when the run began
/// (unless that is accepted); configs::ConfigError.
configs::Experiment experiment_of(const SeenRun& run, bool accept_changes);

}  // namespace bisectd::driver::commands
