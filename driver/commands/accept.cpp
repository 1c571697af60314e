#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "configs/words.hpp"
#include "driver/baseline/baseline.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/checks/checks.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/output.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/judge/panel.hpp"
#include "driver/loop/replay.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestOfAnEnsemble = 3;

struct AcceptOptions {
  std::string folder;
  std::string file;
  std::string side = "subject";
  std::string model;
  bool yes = false;
};

judge::Panel seated(const configs::Experiment& experiment, const std::vector<judge::Curve>& curves) {
  const configs::Metric& metric = experiment.metrics.front();
  auto panel =
      judge::Panel::seat(experiment.accept, {.name = metric.name, .higher_is_better = metric.higher_is_better}, curves);
  if (!panel) throw UsageError(fmt::format("not accepted: {}. {}", panel.error().message, panel.error().hint));
  return std::move(*panel);
}

/// What the checks said of the side: outputs of commands are kept beside the run, patterns look into a log once more.
Facts facts_of(const SeenRun& run, const configs::Experiment& experiment, Role role) {
  const SideName side = role == Role::reference ? SideName::reference : SideName::subject;
  Facts facts = facts_of_commands_again(experiment, side, run.directory.folder() / "checks");
  for (const PastTrial& trial : run.history.trials)
    for (const Attempt& attempt : trial.attempts)
      if (trial.role == role && !attempt.perturbed && is_whole(attempt.ending)) {
        facts.merge(
            facts_in_logs(experiment, side_of(experiment, role), run.directory.attempt(trial.number, attempt.number)));
        return facts;
      }
  return facts;
}

/// The baseline of a run. Errors: UsageError for a run that did not repeat, or not well enough to be judged against.
Baseline baseline_of(const SeenRun& run, const configs::Experiment& experiment, const reports::Record& record,
                     const AcceptOptions& options) {
  const Role role = options.side == "subject" ? Role::as_is : Role::reference;
  if (const auto cut = cut_log(experiment, run.directory, run.history, role)) throw UsageError("not accepted: " + *cut);
  std::vector<judge::Curve> curves = whole_curves(experiment, run.directory, run.history, role);
  // Runs that agree with their reference are further healthy runs; how far these are apart, the reference's show.
  if (role == Role::as_is && !curves.empty() && curves.size() < kFewestOfAnEnsemble &&
      record.outcome == reports::Outcome::aligned) {
    const auto references = experiment.reference.is_recorded()
                                ? recorded_curves(experiment)
                                : whole_curves(experiment, run.directory, run.history, Role::reference);
    if (std::ranges::any_of(references, [](const judge::Curve& curve) { return curve.perturbed != 0; }))
      curves.insert(curves.end(), references.begin(), references.end());
  }
  Baseline baseline{.model = options.model.empty() ? experiment.name : options.model,
                    .metric = experiment.metrics.front().name,
                    .made_utc = keep::utc_now(),
                    .versions = record.versions};
  if (curves.size() < 2)
    throw UsageError(
        fmt::format("not accepted: the {} ran to its end {}, so nothing is known of its noise. Make this "
                    "training the reference of an experiment with `repeats: 3`, and accept that one with "
                    "--of reference",
                    options.side, curves.empty() ? "not once" : "only once"));
  baseline.facts = facts_of(run, experiment, role);
  const judge::Panel panel = seated(experiment, curves);
  if (const auto findings = panel.findings(); !findings.empty() && findings.front().error)
    throw UsageError("not accepted: " + findings.front().text);
  add_runs(baseline, curves);
  if (baseline.runs.size() > 1) baseline.noise = panel.noise();
  return baseline;
}

std::string noise_text(const Baseline& baseline) {
  const std::size_t runs = baseline.runs.size() + static_cast<std::size_t>(baseline.identical);
  if (baseline.runs.size() == 1) return fmt::format("{} runs with the same bits", runs);
  return fmt::format("{} runs, noise {}", runs, reports::unsigned_percent_text(*baseline.noise));
}

bool same_curves(const Baseline& a, const Baseline& b) {
  return a.model == b.model && a.metric == b.metric &&
         std::ranges::equal(a.runs, b.runs,
                            [](const auto& left, const auto& right) { return judge::identical(left, right); }) &&
         a.facts == b.facts;
}

/// Says how the new one differs from the one in the file. True: they are the same.
bool compare_with_old(const configs::Experiment& experiment, const Baseline& baseline, const std::string& file) {
  Baseline old;
  try {
    old = parse_baseline(keep::read_file(file));
  } catch (const BadBaseline& error) {
    throw UsageError(fmt::format("{} is not replaced: {}", file, error.what()));
  }
  if (old.metric != baseline.metric || old.model != baseline.model)
    throw UsageError(
        fmt::format("{} is not replaced: it is the baseline of `{}`, metric `{}`", file, old.model, old.metric));
  const judge::Judgement judgement = seated(experiment, curves_of(old)).judge(curves_of(baseline));
  fmt::print("accepted on {}: {}\nnew: {}; it differs by {}\n", reports::plain(old.made_utc), noise_text(old),
             noise_text(baseline), reports::percent_text(judgement.delta));
  for (const auto& [what, version] : baseline.versions)
    if (const auto before = old.versions.find(what); before == old.versions.end() || before->second != version)
      fmt::print("{}: {} -> {}\n", reports::plain(what),
                 before == old.versions.end() ? "not known" : reports::plain(before->second), reports::plain(version));
  return same_curves(old, baseline);
}

ExitCode accept(const AcceptOptions& options) {
  const SeenRun run = see_run(options.folder);
  if (run.process && !run.history.finished) throw UsageError("this run is not finished");
  const configs::Experiment experiment = experiment_of(run, false);
  const reports::Record record = replay(experiment, run.directory, run.history, false, Detail::status);
  if (record.must_run_to)
    throw UsageError(
        "not accepted: this run only asked whether the subject runs (accept.goal), and compared it with nothing");
  if (options.side == "subject" && record.outcome != reports::Outcome::aligned && !options.yes)
    throw UsageError("not accepted: this run did not end with a subject that agrees with its reference. " +
                     reports::verdict_sentence(record, [](std::string_view text) { return std::string(text); }) +
                     " If the difference is meant, accept it with --yes");
  const Baseline baseline = baseline_of(run, experiment, record, options);
  if (!configs::is_plain_name(baseline.model))
    throw UsageError(fmt::format("--model '{}': {}", baseline.model, configs::kPlainNameRule));
  const std::string file = options.file.empty() ? "baselines/" + baseline.model + ".json" : options.file;
  if (fs::is_directory(file)) throw UsageError(file + " is a folder; name a file in it");
  if (fs::exists(file) && !fs::is_regular_file(file)) throw UsageError(file + " is no file");
  if (fs::exists(file)) {
    if (compare_with_old(experiment, baseline, file)) {
      fmt::print("{} has this curve already; nothing was written\n", reports::plain(file));
      return ExitCode::success;
    }
    if (!options.yes) throw UsageError(file + " is not replaced; accept the new curve with --yes");
  }
  check_output_file(file, true);
  write_output_file(file, baseline_text(baseline));
  fmt::print("wrote {}: {} of {}, {}\n", reports::plain(file), baseline.metric, baseline.model, noise_text(baseline));
  return ExitCode::success;
}

}  // namespace

void add_accept(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "accept", "make the curve of a run the baseline of later ones", accept);
  command.add_option("DIR", options.folder, "the run directory")->required();
  command.add_option("-o,--output", options.file, "file to write; without it baselines/MODEL.json");
  command.add_option("--of", options.side, "whose curve: subject or reference")
      ->check(one_of({"subject", "reference"}))
      ->capture_default_str();
  command.add_option("--model", options.model, "name of the experiments it is for; without it this one's");
  command.add_flag("--yes", options.yes, "accept a curve that differs, and replace the file");
}

}  // namespace bisectd::driver::commands
