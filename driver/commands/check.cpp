#include "driver/commands/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "configs/loader.hpp"
#include "configs/shell_word.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/checks/checks.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/judge/length.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/launch/queue.hpp"
#include "driver/loop/pilot.hpp"
#include "driver/trial/samples.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kFewBytes = 1'000'000'000;
constexpr int kShownRepeats = 4;
constexpr std::size_t kMostShownHints = 8;

struct CheckOptions {
  std::string experiment;
  std::string out = "bisectd-out";
  bool run = false;
};

void say(const char* mark, const std::string& text) { fmt::print("{:<9}{}\n", mark, reports::plain(text)); }

/// The folder that gets the run directory, or the nearest one above it that exists.
void check_out(const std::string& out) {
  fs::path folder = fs::absolute(out).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_parent_path() && folder != folder.root_path())
    folder = folder.parent_path();
  const fs::path probe = folder / fmt::format(".bisectd-check-{}", ::getpid());  // asking for rights misleads root
  if (!fs::create_directory(probe, ignored))
    throw UsageError(fmt::format("no run directory can be made in {}: {} cannot be written", out, folder.string()));
  fs::remove(probe, ignored);
  say("ok", fmt::format("run directories go to {}", out));
  const auto space = fs::space(folder, ignored);
  if (!ignored && space.available < kFewBytes)
    say("warning", fmt::format("only {} MB are free there", space.available / 1'000'000));
}

/// Devices that this machine shows as files, for the kinds that have such files.
void check_devices(const char* side, const configs::Devices& devices) {
  const char* name = devices.kind == "npu" ? "davinci" : devices.kind == "gpu" ? "nvidia" : nullptr;
  const auto is_shown = [&](int id) { return fs::exists(fmt::format("/dev/{}{}", name, id)); };
  if (!name || devices.ids.empty()) return;
  for (const int id : devices.ids)
    if (!is_shown(id))
      return say("warning",
                 fmt::format("{}: {} {} is not seen on this machine (/dev/{}{})", side, devices.kind, id, name, id));
}

void check_side(const char* name, const LaunchSide& side) {
  const std::size_t slots = side.pool->size();
  say("ok",
      fmt::format("{}: {} in {}, {} at a time{}", name, side.settings->command.front().value, side.directory.string(), slots,
                  side.scheduler ? fmt::format(", as jobs of {}, which accepts such a job", side.scheduler->name()) : ""));
  check_devices(name, side.settings->devices);
  if (side.settings->perturb)
    say("ok",
        fmt::format("{}: repeats are perturbed by {}", name, perturbation_text(*side.settings->perturb, kShownRepeats)));
}

std::string members_text(const configs::Family& family, const configs::Selection& selection, std::size_t listed) {
  if (!selection.discover) return fmt::format("{}: {}", family.name, reports::counted(listed, "suspect"));
  const bool queried = family.discover && family.discover->asks_framework();
  return fmt::format("{}: those that {}{}", family.name, queried ? "the framework names" : "a run uses",
                     listed ? fmt::format(", and {} named here", listed) : "");
}

/// What a file makes likely: "layers: likely by align.json: stem (20), what computes ConvBlock (20)".
std::string odds_text(const std::string& family, const configs::Selection& selection) {
  std::string text = fmt::format("{}: likely by {}:", family, selection.likely_from->value);
  const std::size_t shown = std::min(selection.hints.size(), kMostShownHints);
  for (const configs::Hint& hint : std::span(selection.hints).first(shown))
    text += fmt::format(" {}{}{} ({:g}),", hint.computes ? "what computes " : "", hint.name,
                        hint.computes && hint.backward ? " backward" : "", hint.odds);
  if (shown < selection.hints.size()) return text + fmt::format(" and {} more", selection.hints.size() - shown);
  text.pop_back();
  return text;
}

void check_suspects(const configs::Experiment& experiment, const neutralise::Environment& environment) {
  const auto catalogue = neutralise::make_catalogue(experiment, {}, neutralise::always_off(experiment, environment));
  for (const auto& [name, selection] : experiment.suspects) {
    const auto listed = std::ranges::count(catalogue.members(), name, &neutralise::Member::family);
    say("ok", members_text(experiment.families.at(name), selection, static_cast<std::size_t>(listed)));
    if (!selection.hints.empty()) say("ok", odds_text(name, selection));
  }
}

/// The commands of `checks`: 0 if their outputs agree. Patterns look into logs, which are not there yet.
ExitCode check_facts(const configs::Experiment& experiment, const Sides& sides, launch::Launcher& launcher,
                     const fs::path& folder) {
  const std::string tag = keep::make_run_tag(folder) + "/checks";
  const auto facts = [&](const LaunchSide& side, SideName name) {
    return facts_of_commands(experiment, side, name, launcher, folder / "checks", tag);
  };
  std::vector<std::string> differences;
  try {
    const Facts reference = experiment.reference.is_recorded() ? recorded_reference(experiment).facts
                                                               : facts(sides.reference, SideName::reference);
    differences = differing_commands(experiment, reference, facts(sides.subject, SideName::subject));
  } catch (const configs::ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    say("error", error.what());
    return ExitCode::infrastructure;
  }
  for (const std::string& difference : differences) say("error", "checks." + difference);
  for (const configs::Check& check : experiment.checks)
    if (check.standard) continue;  // which of them the logs have, nobody knows yet
    else if (!check.patterns.empty())
      say("ok", fmt::format("checks.{}: what both logs say is compared once both sides ran", check.name));
    else if (differences.empty()) say("ok", fmt::format("checks.{}: both sides say the same", check.name));
  return differences.empty() ? ExitCode::success : ExitCode::no_answer;  // as `run` ends
}

/// What can be known before anything is trained. `folder`: for what is run to know it.
ExitCode check_prepared(const configs::Experiment& experiment, const Sides& sides, launch::Launcher& launcher,
                        const fs::path& folder) {
  const bool compares = experiment.accept.goal == configs::Goal::agrees;
  if (!compares) {
    say("ok", fmt::format("goal: a trial passes if it runs to step {}; no reference is run", *experiment.steps));
  } else if (experiment.reference.is_recorded()) {
    const RecordedReference recorded = recorded_reference(experiment);
    say("ok", "reference: " + recorded.text);
    if (const auto problem = judge::too_short(recorded.curves, experiment.metrics.front().name, experiment.steps)) {
      say("error", judge::unusable_text(*problem));
      return ExitCode::infrastructure;
    }
    if (!recorded.doubt.empty()) say("warning", recorded.doubt);
  } else {
    check_side("reference", sides.reference);
  }
  check_side("subject", sides.subject);
  check_suspects(experiment, sides.subject.environment);
  return compares ? check_facts(experiment, sides, launcher, folder) : ExitCode::success;
}

ExitCode run_a_few(Run& run) {
  const ExitCode code = check_prepared(run.experiment, run.sides, run.launcher, run.directory.folder());
  if (code != ExitCode::success) return code;
  std::fflush(stdout);  // what was said so far is read while they run
  const Pilot pilot = run_pilot(run);
  bool works = true;
  for (const auto& [mark, text] : pilot.lines) {
    works = works && mark != PilotLine::Mark::error;
    say(mark == PilotLine::Mark::ok ? "ok" : mark == PilotLine::Mark::warning ? "warning" : "error", text);
  }
  const std::string folder = run.directory.folder().string();
  fmt::print("logs: {}\n", reports::plain(run.directory.trials().string()));
  if (works)
    fmt::print("the search goes on from these runs with: bisectd resume {}\n",
               reports::plain(configs::shell_quoted(folder)));
  return pilot.unequal ? ExitCode::no_answer : works ? ExitCode::success : ExitCode::infrastructure;
}

ExitCode check(const CheckOptions& options) {
  configs::Experiment experiment = load(options.experiment);
  say("ok", fmt::format("{}: experiment {}{}", options.experiment, experiment.name,
                        experiment.accept.goal == configs::Goal::agrees
                            ? ", target " + reports::unsigned_percent_text(experiment.accept.target)
                            : ""));
  check_out(options.out);
  if (options.run)  // anew each time, and `run` does not take it up: what was changed since may be the training itself
    return drive_in(experiment, {.out = options.out, .prefix = experiment.name + "-check", .fresh = true},
                    {.before_search = run_a_few});
  for (const auto& warning : experiment.warnings) say("warning", configs::placed_text(warning));
  const keep::TemporaryFolder scratch;
  const auto launching =
      launch::make_launcher(scratch.path() / "scheduler", [](const std::string& text) { say("warning", text); });
  Sides sides = prepare_sides(experiment, *launching, scratch.path(), keep::make_run_tag(scratch.path()));
  for (const auto& warning : settle_suspects(experiment, sides.subject)) say("warning", configs::placed_text(warning));
  return check_prepared(experiment, sides, *launching, scratch.path());
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(app, action, "check", "check all that can be checked before a run", check);
  add_experiment(command, options.experiment);
  command.add_option("--out", options.out, "folder that will get the run directory")->capture_default_str();
  command.add_flag("--run", options.run,
                   "also run each side a few times: up to which step can runs be compared, and does the subject fail");
  add_stderr_options(command);
}

}  // namespace bisectd::driver::commands
