#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>

#include "configs/resolved.hpp"
#include "configs/words.hpp"
#include "driver/baseline/baseline.hpp"
#include "driver/checks/versions.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/output.hpp"
#include "driver/loop/first_runs.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string experiment;
  std::string file = "reference.json";
  std::string out = "bisectd-out";
  std::string model;
  bool yes = false;
};

/// Checks and versions first: what fails, fails before anything is trained.
Baseline recorded(const configs::Experiment& experiment, Run& run, const RecordOptions& options) {
  const fs::path folder = run.directory.folder();
  Baseline baseline{.model = options.model.empty() ? experiment.name : options.model,
                    .metric = experiment.metrics.front().name,
                    .made_utc = keep::utc_now(),
                    .recorded = true};
  try {
    baseline.facts = facts_of_commands(experiment, run.sides.reference, SideName::reference, run.launcher, folder / "checks",
                                       run.state.history.run_tag + "/checks");
  } catch (const std::runtime_error& error) {
    throw Infrastructure(error.what());
  }
  baseline.versions =
      find_versions(experiment, run.sides.reference, run.launcher, folder / "versions", run.state.history.run_tag).found;
  add_runs(baseline, seat_jury(run, run_reference(run)));
  for (const judge::Finding& finding : run.state.jury->findings()) run.warn(finding.text);
  baseline.facts.merge(logged_reference_facts(experiment, run.state.reference_attempt));
  for (const auto& [check, said] : baseline.facts)
    if (said.empty())
      run.warn(fmt::format("the check {} finds nothing on this side, so no subject will agree with it", check));
  return baseline;
}

ExitCode record(const RecordOptions& options) {
  configs::Experiment experiment = load(options.experiment, configs::Needed::reference);
  if (experiment.reference.is_recorded())
    throw UsageError(
        fmt::format("{}: its reference is recorded already; `record` runs `reference.command`", options.experiment));
  if (!options.model.empty() && !configs::is_plain_name(options.model))
    throw UsageError(fmt::format("--model '{}': {}", options.model, configs::kPlainNameRule));
  check_output_file(options.file, options.yes);
  HandRun run(experiment, configs::resolved_yaml(experiment), options.out, "record", configs::Needed::reference);
  const Baseline baseline = recorded(experiment, run.run(), options);
  write_output_file(options.file, baseline_text(baseline));
  const std::size_t runs = baseline.runs.size() + static_cast<std::size_t>(baseline.identical);
  fmt::print("wrote {}: {} of {}, {} runs{}\n", reports::plain(options.file), baseline.metric, baseline.model, runs,
             baseline.runs.size() == 1 && runs > 1 ? " with the same bits" : "");
  for (const auto& [check, said] : baseline.facts) fmt::print("check {}: {}\n", check, reports::plain(said));
  for (const auto& [what, version] : baseline.versions)
    fmt::print("{}: {}\n", reports::plain(what), reports::plain(version));
  fmt::print("beside the experiment of the subject it is used with  reference: {{curve: {}}}\n",
             reports::plain(fs::path(options.file).filename().string()));
  return ExitCode::success;
}

}  // namespace

void add_record(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(
      app, action, "record", "run the reference here and write its runs to one file, for another machine", record);
  add_experiment(command, options.experiment, "the experiment file; `subject` and `suspects` may be missing");
  command.add_option("-o,--output", options.file, "file to write")->capture_default_str();
  command.add_option("--model", options.model, "name of the experiments it is for; without it this one's");
  command.add_option("--out", options.out, "folder that gets the run's directory")->capture_default_str();
  command.add_flag("--yes", options.yes, "replace the file");
  add_stderr_options(command);
}

}  // namespace bisectd::driver::commands
