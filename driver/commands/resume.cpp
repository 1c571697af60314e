#include "driver/commands/commands.hpp"

#include <CLI/CLI.hpp>

#include "driver/commands/drive.hpp"
#include "driver/commands/experiment_changes.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/prune_experiment.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/record/history.hpp"

namespace bisectd::driver::commands {
namespace {

struct ResumeOptions {
  std::string folder;
  bool accept_changes = false;
  OutputOptions output;
};

ExitCode resume(const ResumeOptions& options) {
  const keep::RunDirectory directory = open_run(options.folder);
  const History begun = read_beginning(directory.journal());
  refuse_by_hand(begun, directory.folder());  // its file may have no subject
  configs::Experiment experiment =
      load(begun.experiment_file, begun.prune ? configs::Needed::workaround : configs::Needed::everything);
  if (begun.prune) search_what_is_in_use(experiment);
  return drive(experiment, directory,
               {.accept_changes = options.accept_changes, .prune = begun.prune, .output = options.output});
}

}  // namespace

void add_resume(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(app, action, "resume", "go on with a run that was interrupted", resume);
  add_run_directory(command, options.folder);
  command.add_flag("--accept-changes", options.accept_changes,
                   "go on although the experiment was changed, but not in what verdicts rest on");
  add_output_options(command, options.output);
}

}  // namespace bisectd::driver::commands
