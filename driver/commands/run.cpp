#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "driver/commands/drive.hpp"
#include "driver/commands/exit_code.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/log/log.hpp"

namespace bisectd::driver::commands {
namespace {

struct RunOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  std::string history;
  bool fresh = false;
  bool accept_changes = false;
  std::string error_file;
  OutputOptions output;
};

ExitCode search(const RunOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  return drive_in(experiment, {.out = options.out, .prefix = experiment.name, .fresh = options.fresh},
                  {.accept_changes = options.accept_changes, .history = options.history, .output = options.output});
}

ExitCode run(const RunOptions& options) {
  if (options.error_file.empty()) return search(options);
  try {
    return search(options);
  } catch (const std::exception&) {
    try {
      keep::write_file(options.error_file, failure_of(std::current_exception()).message + "\n");
    } catch (const std::exception& unwritten) {  // must not hide why the run ended
      log::warning(fmt::format("{}: {}", options.error_file, unwritten.what()));
    }
    throw;
  }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "run", "search for the culprits that an experiment file describes", run);
  add_experiment(command, options.experiment);
  command.add_option("--out", options.out, "folder that gets the run directory, or a run directory to go on with")
      ->capture_default_str();
  command.add_flag("--new", options.fresh, "start anew even if the last run in --out is not finished");
  command.add_flag("--accept-changes", options.accept_changes,
                   "go on although the experiment was changed, but not in what verdicts rest on");
  command.add_option("--history", options.history, "file that remembers results; without it OUT/history.jsonl");
  command.add_option("--error-file", options.error_file,
                     "file that gets the message of a run that ends with an error; for programs that start bisectd");
  add_output_options(command, options.output);
}

}  // namespace bisectd::driver::commands
