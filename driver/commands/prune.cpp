#include "driver/commands/prune.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "driver/commands/drive.hpp"
#include "driver/commands/prune_experiment.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

struct PruneOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool fresh = false;
  OutputOptions output;
};

std::string list_text(const std::vector<std::string>& names) {
  return names.empty() ? "none" : reports::plain(fmt::format("{}", fmt::join(names, ", ")));
}

/// What the answer means for the workaround: the search was the other way round.
void print_pruned(const reports::Record& record, const std::vector<std::string>& in_use) {
  const bool answered = record.outcome == reports::Outcome::culprits || record.outcome == reports::Outcome::aligned;
  if (!answered) {
    fmt::print("\nNothing is known of what the workaround is needed for; keep it.\n");
    return;
  }
  const auto as_it_is = [](std::string_view text) { return std::string(text); };
  std::vector<std::string> needed, over;
  if (record.outcome == reports::Outcome::culprits)
    for (const std::size_t id : record.answer.culprit_set) needed.push_back(reports::suspect_text(record, id, as_it_is));
  std::ranges::copy_if(in_use, std::back_inserter(over), [&](const std::string& name) { return !std::ranges::count(needed, name); });
  fmt::print("\nStill needed: {}\nNo longer needed: {}\n", list_text(needed), list_text(over));
}

int prune(const PruneOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  const std::vector<std::string> in_use = search_what_is_in_use(experiment);
  if (in_use.empty())
    throw UsageError("there is nothing to prune: subject.environment holds no black list and no switch at its safe value");
  return drive_in(experiment, {.out = options.out, .prefix = "prune-" + experiment.name, .fresh = options.fresh},
                  {.prune = true, .output = options.output, .after = [&](const reports::Record& record) {
                     if (!options.output.json) print_pruned(record, in_use);
                   }});
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
