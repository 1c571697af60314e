#include "driver/commands/seen_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "configs/resolved.hpp"
#include "driver/commands/command.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/experiment_changes.hpp"
#include "driver/commands/prune_experiment.hpp"
#include "driver/keep/lock.hpp"
#include "driver/suite/suite_state.hpp"

namespace bisectd::driver::commands {
namespace {

/// The journal says when its last record was made; since then the run went on.
double seconds_since_change(const std::filesystem::path& file) {
  const auto age = std::filesystem::file_time_type::clock::now() - std::filesystem::last_write_time(file);
  return std::max(0.0, std::chrono::duration<double>(age).count());
}

}  // namespace

keep::RunDirectory open_run(const std::string& folder) {
  if (suite::SuiteState::is_one(folder))
    throw UsageError(
        fmt::format("{}: a suite's directory. Its report is index.html there, the run of each model "
                    "models/NAME/latest; the same `bisectd ci` goes on with it",
                    folder));
  try {
    return keep::RunDirectory::open(folder);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

SeenRun see_run(const std::string& folder) {
  keep::RunDirectory directory = open_run(folder);
  const std::optional<int> process = keep::driver_of(directory.folder());
  History history = read_history(directory.journal());
  if (process && !history.finished) history.elapsed_s += seconds_since_change(directory.journal());
  return {std::move(directory), std::move(history), process};
}

configs::Experiment experiment_of(const SeenRun& run, bool accept_changes) {
  const configs::Needed needed = run.history.reference_only ? configs::Needed::reference
                                 : run.history.prune        ? configs::Needed::workaround
                                                            : configs::Needed::everything;
  configs::Experiment experiment = load(run.history.experiment_file, needed);
  if (run.history.prune) search_what_is_in_use(experiment);
  refuse_changes(keep::read_file(run.directory.resolved_experiment()), configs::resolved_yaml(experiment), accept_changes,
                 "Put it back, or look at the run with `bisectd report --accept-changes`.");
  refuse_lost_families(run.history, experiment);
  return experiment;
}

}  // namespace bisectd::driver::commands
