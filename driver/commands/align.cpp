#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "configs/resolved.hpp"
#include "driver/align/comparison.hpp"
#include "driver/align/dump.hpp"
#include "driver/align/dump_folders.hpp"
#include "driver/align/step_runs.hpp"
#include "driver/commands/align_text.hpp"
#include "driver/commands/command.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/exit_code.hpp"
#include "driver/commands/hand_run.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/log/log.hpp"
#include "reports/escape.hpp"

namespace bisectd::driver::commands {

namespace {

struct AlignDumpsOptions {
  std::string reference, subject;  ///< folders
  double bound = 0;                ///< accepted relative difference, a fraction
  std::string out;                 ///< folder that gets a folder with the result
  bool json = false;
};

/// Of several ranks the first that says most: that the sides start otherwise, else that one deviates.
const align::Comparison& telling(const std::vector<align::Comparison>& ranks) {
  const auto unequal = std::ranges::find_if(ranks, [](const auto& rank) { return !rank.unequal.empty(); });
  if (unequal != ranks.end()) return *unequal;
  const auto deviates = std::ranges::find_if(ranks, &align::Comparison::deviates);
  return deviates != ranks.end() ? *deviates : ranks.front();
}

std::string remarks_on(const align::DumpPairs& dumps, const std::vector<align::Comparison>& ranks) {
  std::string text;
  if (!dumps.step.empty())
    text += fmt::format("Of several steps {} was compared: after it the sides have other weights.\n",
                        reports::plain(dumps.step));
  if (ranks.size() == 1) return text;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("{}: {}{}\n", reports::plain(dumps.pairs[i].rank), align_verdict(ranks[i]),
                        &ranks[i] == &telling(ranks) ? ", shown here and in align.json" : "");
  return text;
}

align::Comparison compared(const align::DumpPair& pair, double bound) {
  const std::array reference{align::read_dump(pair.reference)};
  try {
    return align::compare(reference, align::read_dump(pair.subject), bound);
  } catch (const std::runtime_error& error) {
    throw UsageError(fmt::format("{} and {}: {}", pair.reference.string(), pair.subject.string(), error.what()));
  }
}

/// Returns the program's exit code. Throws UsageError for folders that cannot be compared.
ExitCode align_dumps(const AlignDumpsOptions& options) {
  align::DumpPairs dumps;
  std::vector<align::Comparison> ranks;
  try {
    dumps = align::find_dumps(options.reference, options.subject);
    for (const align::DumpPair& pair : dumps.pairs) ranks.push_back(compared(pair, options.bound));
  } catch (const std::runtime_error& error) {  // ours, and a file that cannot be read
    throw UsageError(error.what());
  }
  try {
    const auto directory = keep::RunDirectory::create(options.out, "dumps-align");
    return conclude_align(
        telling(ranks),
        {.title = "dumps", .folder = directory.folder(), .remarks = remarks_on(dumps, ranks), .json = options.json});
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("cannot write into {}: {}", options.out, error.code().message()));
  }
}

namespace fs = std::filesystem;

constexpr double kBoundPct = 1;  ///< as `align.bound`

struct AlignOptions {
  std::string experiment;
  std::string record, reference;
  std::vector<std::string> from;  ///< folders of the reference and of the subject
  double bound_pct = kBoundPct;
  std::string out = "bisectd-out";
  bool yes = false, json = false;
};

void check_options(const configs::Experiment& experiment, const AlignOptions& options) {
  if (!experiment.align)
    throw UsageError(
        fmt::format("{}: nothing says how this training writes down a step: the presets of PaddlePaddle and PyTorch "
                    "have `align`, others need it (docs/align.md)",
                    options.experiment));
  if (experiment.reference.command.empty() && options.reference.empty())
    throw UsageError(
        fmt::format("{}: there is no `reference.command`; give the step of the other machine: --reference FILE, which "
                    "`bisectd align --record FILE` writes there",
                    options.experiment));
  if (!options.record.empty()) check_output_file(options.record, options.yes);
}

std::vector<align::Recording> recordings(const std::string& file) {
  try {
    return align::read_recordings(file);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

/// Only what must be there: a perturbed run that broke leaves the others.
void require_plain_runs(Run& all, const std::vector<align::StepRun>& runs) {
  for (const align::StepRun& run : runs) {
    if (!run.file.empty()) continue;
    const std::string text = fmt::format("the {} wrote down no step: {} (see {})", run.name, run.why, run.folder.string());
    if (run.perturbed == 0) throw Infrastructure(text);
    all.warn(text);
  }
}

std::vector<align::StepRun> wanted_runs(HandRun& run, const AlignOptions& options) {
  std::vector<align::StepRun> runs;
  const fs::path folder = run.directory().folder();
  if (options.reference.empty())
    for (const int seed : align::perturbations_of(run.run().experiment.reference))
      runs.push_back({.side = &run.run().sides.reference,
                      .name = "reference",
                      .perturbed = seed,
                      .folder = folder / (seed ? fmt::format("reference-{}", seed) : "reference"),
                      .file = {},
                      .why = {}});
  if (options.record.empty())
    runs.push_back({.side = &run.run().sides.subject,
                    .name = "subject",
                    .perturbed = 0,
                    .folder = folder / "subject",
                    .file = {},
                    .why = {}});
  return runs;
}

/// What a run wrote down. Errors: Infrastructure; a recording that a person names is read by recordings().
std::vector<align::Recording> written_by(const align::StepRun& run) {
  const fs::path file = run.file;
  if (!fs::is_regular_file(file))
    throw Infrastructure(fmt::format("the {} wrote down no step: {} is no file", run.name, file.string()));
  try {
    return align::read_recordings(file);
  } catch (const std::exception& error) {
    throw Infrastructure(fmt::format("the step that the {} wrote down cannot be read: {}", run.name, error.what()));
  }
}

std::vector<align::StepRun> made_runs(HandRun& run, const AlignOptions& options) {
  std::vector<align::StepRun> runs = wanted_runs(run, options);
  Run& all = run.run();
  align::run_steps(all.experiment, all.launcher, all.state.history.run_tag, runs, [&](const align::StepRun& ended) {
    log::info(fmt::format("{}{}: {}", ended.name,
                          ended.perturbed ? fmt::format(", perturbed (seed {})", ended.perturbed) : "",
                          ended.file.empty() ? ended.why : "wrote down one step"));
  });
  require_plain_runs(all, runs);
  return runs;
}

ExitCode record_step(const configs::Experiment& experiment, HandRun& run, const AlignOptions& options) {
  std::string all;
  std::size_t count = 0, modules = 0;
  for (const align::StepRun& one : made_runs(run, options)) {
    if (one.file.empty()) continue;
    modules = written_by(one).front().calls.size();
    all += align::run_line(one.perturbed) + keep::read_file(one.file);
    ++count;
  }
  write_output_file(options.record, all);
  fmt::print("wrote {}: one step of {}, {} calls of modules, {} runs, {} kB\n", reports::plain(options.record),
             experiment.name, modules, count, all.size() / 1000);
  fmt::print("on the machine of the subject it is used with  bisectd align --reference {} EXPERIMENT\n",
             reports::plain(fs::path(options.record).filename().string()));
  return ExitCode::success;
}

ExitCode compare_steps(const configs::Experiment& experiment, HandRun& run, const AlignOptions& options,
                       std::vector<align::Recording> reference) {
  std::optional<align::Recording> subject;
  for (const align::StepRun& one : made_runs(run, options)) {
    if (one.file.empty()) continue;
    align::Recording recording = written_by(one).front();
    recording.perturbed = one.perturbed;
    if (one.name == "subject") subject = std::move(recording);
    else reference.push_back(std::move(recording));
  }
  align::Comparison comparison;
  try {
    comparison = align::compare(reference, *subject, experiment.align->bound);
  } catch (const std::runtime_error& error) {
    throw Infrastructure(error.what());
  }
  return conclude_align(comparison,
                        {.title = experiment.name, .folder = run.directory().folder(), .remarks = {}, .json = options.json});
}

ExitCode align_sides(const AlignOptions& options) {
  if (!options.from.empty())
    return align_dumps({.reference = options.from.front(),
                        .subject = options.from.back(),
                        .bound = options.bound_pct / 100,
                        .out = options.out,
                        .json = options.json});
  if (options.experiment.empty())
    throw UsageError("name an experiment file, or two folders of dumps: bisectd align --from REFERENCE SUBJECT");
  const auto needed = options.record.empty() ? configs::Needed::everything : configs::Needed::reference;
  configs::Experiment experiment = load(options.experiment, needed);
  check_options(experiment, options);
  std::vector<align::Recording> reference;
  if (!options.reference.empty()) reference = recordings(options.reference);
  HandRun run(experiment, configs::resolved_yaml(experiment), options.out, "align", needed);
  return options.record.empty() ? compare_steps(experiment, run, options, std::move(reference))
                                : record_step(experiment, run, options);
}

}  // namespace

void add_align(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(
      app, action, "align", "compare one training step of both sides module by module: what deviates first", align_sides);
  auto* experiment = command.add_option("EXPERIMENT", options.experiment, "the experiment file (YAML)");
  auto* record = command.add_option("--record", options.record,
                                    "run the reference alone and write its step to this file, for another machine");
  auto* reference =
      command.add_option("--reference", options.reference, "a file that --record wrote, instead of running the reference")
          ->excludes(record);
  auto* from = command.add_option("--from", options.from,
                                  "start nothing: compare what msprobe dumped of one step into these two folders, the "
                                  "reference's and the subject's");
  from->expected(2)->type_name("DIR DIR")->excludes(experiment)->excludes(record)->excludes(reference);
  command
      .add_option("--bound", options.bound_pct,
                  "accepted relative difference of dumps in percent: 2 or 2% (else `align.bound`)")
      ->needs(from)
      ->transform(percent_sign())
      ->check(number_in(1e-6, 100.0));
  command.add_option("--out", options.out, "folder that gets the run's directory")->capture_default_str();
  command.add_flag("--yes", options.yes, "replace the file of --record");
  add_stderr_options(command);
  command.add_flag("--json", options.json, "print JSON instead of text on stdout");
}

}  // namespace bisectd::driver::commands
