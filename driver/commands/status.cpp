#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "configs/loader.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/loop/replay.hpp"
#include "reports/status.hpp"

namespace bisectd::driver::commands {
namespace {

struct StatusOptions {
  std::string folder;
  bool json = false;
};

/// An experiment file that was changed for the next night must not hide the status of this one.
reports::Record record_of(const SeenRun& run) {
  const bool driven = run.process.has_value();
  try {
    return replay(experiment_of(run, false), run.directory, run.history, driven, Detail::status);
  } catch (const configs::ConfigError&) {
  } catch (const UsageError&) {
  }
  reports::Record record = replay_without_experiment(run.directory, run.history, driven);
  record.warnings.push_back(
      "the experiment file has changed since this run began: steps, differences and likely "
      "culprits are not known here");
  return record;
}

ExitCode status(const StatusOptions& options) {
  const SeenRun run = see_run(options.folder);
  const reports::Record record = record_of(run);
  const bool by_hand = run.history.by_hand;
  fmt::print("{}", options.json ? reports::status_json(record, run.process, by_hand)
                                : reports::status_text(record, run.process, by_hand));
  return ExitCode::success;
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "status", "say what a run is doing now, or its result; changes nothing", status);
  add_run_directory(command, options.folder);
  command.add_flag("--json", options.json, "one JSON document instead of text");
}

}  // namespace bisectd::driver::commands
