#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "configs/loader.hpp"
#include "driver/commands/arguments.hpp"
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

std::string kept_text(const reports::Kept& kept) {
  return fmt::format("{}:{} stays neutralised, as {}: whether it is needed is not tried", kept.family, kept.name,
                     kept.needed_by.empty() ? "`exclude` says" : kept.needed_by + " needs it in every run");
}

ExitCode prune(const PruneOptions& options) {
  configs::Experiment experiment = load(options.experiment, configs::Needed::workaround);
  const std::vector<std::string> unseen = given_as_arguments(experiment);
  const auto [searched, kept] = search_what_is_in_use(experiment);
  if (searched.empty() && !kept.empty()) {
    const bool excluded = std::ranges::all_of(kept, [](const auto& one) { return one.value.needed_by.empty(); });
    throw UsageError(fmt::format("there is nothing to prune: {} all that is in use",
                                 excluded ? "`exclude` names" : "`exclude` names, or a family needs in every run,"));
  }
  if (searched.empty())
    throw UsageError(
        "there is nothing to prune: subject.environment holds no black list, no switch at its safe value and no value of a "
        "ladder, and subject.unset no switch");
  if (!unseen.empty())
    log::warning(fmt::format("warning: not looked at, as subject.command or the training's own files may hold them: {}",
                             fmt::join(unseen, ", ")));
  DriveOptions drive{.prune = true, .output = options.output};
  for (const configs::Placed<reports::Kept>& one : kept) {
    log::warning(configs::render({kept_text(one.value), one.place}));
    drive.kept.push_back(one.value);
  }
  return drive_in(experiment, {.out = options.out, .prefix = "prune-" + experiment.name, .fresh = options.fresh}, drive);
}

}  // namespace

void add_prune(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "prune", "find which entries of the workaround in use are still needed", prune);
  command.add_option("EXPERIMENT", options.experiment, "the experiment file; its subject has the workaround")->required();
  command.add_option("--out", options.out, "folder that gets the run directory")->capture_default_str();
  command.add_flag("--new", options.fresh, "start anew even if the last run is not finished");
  add_output_options(command, options.output);
}

}  // namespace bisectd::driver::commands
