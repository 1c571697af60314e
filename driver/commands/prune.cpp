#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "driver/commands/drive.hpp"
#include "driver/commands/prune_experiment.hpp"
#include "driver/log/log.hpp"

namespace bisectd::driver::commands {
namespace {

struct PruneOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool fresh = false;
  OutputOptions output;
};

ExitCode prune(const PruneOptions& options) {
  configs::Experiment experiment = load(options.experiment, configs::Needed::workaround);
  const std::vector<std::string> unseen = given_as_arguments(experiment);
  const std::size_t warnings = experiment.warnings.size();
  const bool nothing = search_what_is_in_use(experiment).empty();
  if (nothing && experiment.warnings.size() > warnings)
    throw UsageError("there is nothing to prune: `exclude` names all that is in use");
  if (nothing)
    throw UsageError(
        "there is nothing to prune: subject.environment holds no black list, no switch at its safe value and no value of a "
        "ladder, and subject.unset no switch");
  if (!unseen.empty())
    log::warning(fmt::format("warning: not looked at, as subject.command may hold them: {}", fmt::join(unseen, ", ")));
  return drive_in(experiment, {.out = options.out, .prefix = "prune-" + experiment.name, .fresh = options.fresh},
                  {.prune = true, .output = options.output});
}

}  // namespace

void add_prune(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PruneOptions>();
  CLI::App* command = app.add_subcommand("prune", "find which entries of the workaround in use are still needed");
  command->add_option("EXPERIMENT", options->experiment, "the experiment file; its subject has the workaround")->required();
  command->add_option("--out", options->out, "folder that gets the run directory")->capture_default_str();
  command->add_flag("--new", options->fresh, "start anew even if the last run is not finished");
  add_output_options(*command, options->output);
  command->callback([&action, options] { action = [options] { return prune(*options); }; });
}

}  // namespace bisectd::driver::commands
