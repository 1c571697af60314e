#include "driver/commands/drive.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "configs/loader.hpp"
#include "configs/resolved.hpp"
#include "driver/commands/command.hpp"
#include "driver/conclusion.hpp"
#include "driver/experiment_changes.hpp"
#include "driver/keep/lock.hpp"
#include "driver/launch/local.hpp"
#include "driver/launch/strays.hpp"
#include "driver/loop.hpp"
#include "driver/run_tag.hpp"
#include "driver/versions.hpp"

namespace bisectd::driver::commands {

namespace fs = std::filesystem;

configs::Experiment load(const std::string& file) {
  try {
    return configs::load_experiment(file);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
}

int drive(configs::Experiment& experiment, const keep::RunDirectory& directory, bool accept_changes,
          const OutputOptions& output) {
  Progress progress(output.quiet);
  for (const auto& warning : experiment.warnings) progress.line(configs::render(warning));
  const keep::Lock lock(directory.folder());
  const bool is_new = !keep::RunDirectory::is_one(directory.folder());
  const std::string resolved = configs::resolved_yaml(experiment);
  History past;
  if (is_new) {
    past.started_utc = keep::utc_now();
    past.run_tag = make_run_tag(directory.folder());
  } else {
    past = read_history(directory.journal());
    refuse_changes(keep::read_file(directory.resolved_experiment()), resolved, accept_changes);
    if (const std::size_t strays = launch::sweep_strays(past.run_tag + "/"))
      progress.line(fmt::format("ended {} processes that an earlier bisectd left behind", strays));
  }
  launch::LocalLauncher launcher;
  Sides sides = prepare_sides(experiment, launcher, directory.folder(), past.run_tag);
  settle_toggles(experiment, sides.subject.environment);
  const auto versions = find_versions(experiment, sides.subject, launcher, directory.folder() / "versions", past.run_tag);
  refuse_other_versions(past.versions, versions, accept_changes);
  keep::write_file(directory.resolved_experiment(), resolved);
  keep::Journal journal(directory.journal(), past.whole_bytes);
  if (is_new) {
    journal.append(run_record(past.started_utc, past.run_tag, experiment));
    directory.point_latest_here();
  }
  if (past.versions != versions) journal.append(versions_record(versions));
  past.versions = versions;
  progress.line(fmt::format("run directory: {}", directory.folder().string()));
  try {
    Loop loop(experiment, sides, directory, journal, std::move(past), launcher, progress);
    const reports::Record& record = loop.run();
    print_result(record, output);
    return exit_code(record.outcome);
  } catch (const Interrupted& interrupted) {
    progress.line(fmt::format("interrupted; go on with: bisectd resume {}", directory.folder().string()));
    return 128 + interrupted.signal_number;
  }
}

}  // namespace bisectd::driver::commands
