#include "driver/commands/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "configs/loader.hpp"
#include "driver/commands/drive.hpp"
#include "driver/history.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool fresh = false;
  bool accept_changes = false;
  OutputOptions output;
};

/// The run directory that `run --out OUT` means: OUT itself if it is one, the last one in it if that is of this
/// experiment and not finished, else none.
std::optional<keep::RunDirectory> to_go_on_with(const RunOptions& options, const std::string& name) {
  if (options.fresh) return std::nullopt;
  if (keep::RunDirectory::is_one(options.out)) return keep::RunDirectory::open(options.out);
  const fs::path latest = fs::path(options.out) / "latest";
  if (!keep::RunDirectory::is_one(latest)) return std::nullopt;
  keep::RunDirectory directory = keep::RunDirectory::open(latest);
  const bool same_name = directory.folder().filename().string().starts_with(name + "-");
  if (!same_name || read_history(directory.journal()).finished) return std::nullopt;
  return directory;
}

int run(const RunOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  if (const auto directory = to_go_on_with(options, experiment.name))
    return drive(experiment, *directory, options.accept_changes, options.output);
  std::optional<keep::RunDirectory> directory;
  try {
    directory = keep::RunDirectory::create(options.out, experiment.name);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("cannot make a run directory in {}: {}", options.out, error.code().message()));
  }
  try {
    return drive(experiment, *directory, options.accept_changes, options.output);
  } catch (const configs::ConfigError&) {
    fs::remove_all(directory->folder());  // nothing was started: leave nothing behind
    throw;
  }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "search for the culprits that an experiment file describes");
  command->add_option("EXPERIMENT", options->experiment, "the experiment file (YAML)")->required();
  command->add_option("--out", options->out, "folder that gets the run directory, or a run directory to go on with")
      ->capture_default_str();
  command->add_flag("--new", options->fresh, "start anew even if the last run in --out is not finished");
  command->add_flag("--accept-changes", options->accept_changes, "go on although the experiment was changed");
  add_output_options(*command, options->output);
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace bisectd::driver::commands
