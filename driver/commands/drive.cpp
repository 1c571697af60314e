#include "driver/commands/drive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "configs/loader.hpp"
#include "configs/resolved.hpp"
#include "configs/shell_word.hpp"
#include "configs/suggest.hpp"
#include "driver/align/odds_file.hpp"
#include "driver/checks/versions.hpp"
#include "driver/commands/command.hpp"
#include "driver/commands/experiment_changes.hpp"
#include "driver/keep/lock.hpp"
#include "driver/launch/queue.hpp"
#include "driver/launch/strays.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/loop.hpp"
#include "driver/record/past_results.hpp"
#include "driver/record/setup_files.hpp"
#include "driver/trial/inherited_settings.hpp"
#include "reports/words.hpp"

namespace bisectd::driver::commands {

namespace fs = std::filesystem;

configs::Experiment load(const std::string& file, configs::Needed needed) {
  try {
    configs::Experiment experiment = configs::load_experiment(file, needed);
    align::read_odds_files(experiment);
    return experiment;
  } catch (const std::system_error& error) {
    const auto near = error.code() == std::errc::no_such_file_or_directory ? configs::nearest_in_folder(file) : std::nullopt;
    throw UsageError(
        near ? fmt::format("{}; did you mean '{}'?", error.what(), (fs::path(file).parent_path() / *near).string())
             : error.what());
  }
}

namespace {

/// Of two experiments with one name the newer run may be the other one's; it is ours if it is the last one of all, so that
/// what was changed is told.
bool is_run_of(const configs::Experiment& experiment, const keep::RunDirectory& directory, const fs::path& latest) {
  std::error_code ignored;
  return fs::equivalent(latest, directory.folder(), ignored) ||
         keep::read_file(directory.resolved_experiment()) == configs::resolved_yaml(experiment);
}

std::optional<keep::RunDirectory> to_go_on_with(const configs::Experiment& experiment, const RunPlace& place) {
  if (place.fresh) return std::nullopt;
  if (keep::RunDirectory::is_one(place.out)) return keep::RunDirectory::open(place.out);
  const auto newest = keep::RunDirectory::newest(place.out, place.prefix);
  auto latest = keep::RunDirectory::latest(place.out, place.prefix);  // another one where the clock went back between them
  if (newest && latest && newest->folder() == latest->folder()) latest.reset();
  for (const auto& directory : {newest, latest})
    if (directory && !read_history(directory->journal()).finished &&
        is_run_of(experiment, *directory, fs::path(place.out) / "latest"))
      return directory;
  return std::nullopt;
}

/// What past nights say of the odds. A history that cannot be read must not cost this night.
void learn_from_past(configs::Experiment& experiment, const fs::path& history) {
  try {
    const std::vector<std::string> known = raise_odds(experiment, read_results(history));
    if (!known.empty()) log::info(fmt::format("guilty in past runs, so looked at first: {}", fmt::join(known, ", ")));
  } catch (const std::exception& error) {
    log::warning(fmt::format("warning: {}", error.what()));
  }
}

void remember(const reports::Record& record, const std::string& digest, const fs::path& history) {
  try {
    append_result(history, result_of(record, digest));
  } catch (const std::exception& error) {
    log::warning(fmt::format("warning: the result is not in the history: {}", error.what()));
  }
}

/// A run directory without a journal cannot be resumed, but nothing was trained in it either.
std::string how_to_go_on(const keep::RunDirectory& directory) {
  if (!keep::RunDirectory::is_one(directory.folder())) return "";
  return "go on with: bisectd resume " + configs::shell_quoted(directory.folder().string());
}

/// What an earlier bisectd left, for the log.
std::string resume_text(const History& past) {
  std::size_t open_attempts = 0;
  for (const PastTrial& trial : past.trials)
    for (const Attempt& attempt : trial.attempts) open_attempts += attempt.ending ? 0 : 1;
  return fmt::format("goes on with a run begun {}, {:.1f} s long: {} trials, {} judged, {} attempts not ended{}{}{}",
                     past.started_utc, past.elapsed_s, past.trials.size(), past.order_judged.size(), open_attempts,
                     past.finished ? "; it came to its answer" : "",
                     past.failure.empty() ? "" : "; it could not go on: ", past.failure);
}

History begin_history(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                      const DriveOptions& options) {
  History history;
  history.started_utc = keep::utc_now();
  history.run_tag = keep::make_run_tag(directory.folder());
  history.recording = digest_of_recording(experiment);
  history.prune = options.prune;
  history.kept = options.kept;
  return history;
}

/// What an earlier bisectd left. Throws where it cannot be gone on with.
History history_left(const configs::Experiment& experiment, const keep::RunDirectory& directory, const std::string& resolved,
                     const std::map<std::string, std::string>& of_setup, bool accept_changes) {
  History past = read_history(directory.journal());
  refuse_by_hand(past, directory.folder());
  log::debug(resume_text(past));
  const std::string resolved_then = keep::read_file(directory.resolved_experiment());
  refuse_lost_families(past, experiment);
  refuse_changes_under_verdicts(past, resolved_then, resolved);
  refuse_other_recording(past, digest_of_recording(experiment));
  refuse_other_setup(past, of_setup, accept_changes);
  refuse_changes(resolved_then, resolved, accept_changes,
                 "Go on all the same with --accept-changes, or start anew with --new.");
  if (resolved_then != resolved) {
    past.finished = false;  // the answer was to another question
    past.differing_commands.reset();
  }
  return past;
}

ExitCode drive_to_answer(configs::Experiment& experiment, const keep::RunDirectory& directory, const DriveOptions& options) {
  const keep::Lock lock(directory.folder());
  log::open_file(directory.folder());
  Progress progress;
  for (const auto& warning : experiment.warnings) log::warning(configs::render(warning));
  const bool is_new = !keep::RunDirectory::is_one(directory.folder());
  const std::string resolved = configs::resolved_yaml(experiment),
                    digest = digest_of(experiment, settings_of_shell(experiment));
  const fs::path history =
      options.history.empty() ? directory.folder().parent_path() / "history.jsonl" : fs::path(options.history);
  const std::map<std::string, std::string> of_setup = setup_files(experiment);
  if (is_new && !options.prune) learn_from_past(experiment, history);
  History past = is_new ? begin_history(experiment, directory, options)
                        : history_left(experiment, directory, resolved, of_setup, options.accept_changes);
  const bool changed = !is_new && keep::read_file(directory.resolved_experiment()) != resolved;
  if (!is_new && launch::sweep_strays(past.run_tag + "/")) log::info("ended processes that an earlier bisectd left behind");
  const auto launching = launch::make_launcher(directory.folder() / "scheduler", log::warning);
  launch::Launcher& launcher = *launching;
  Sides sides = prepare_sides(experiment, launcher, directory.folder(), past.run_tag);
  for (const auto& warning : settle_suspects(experiment, sides.subject)) log::warning(configs::render(warning));
  if (is_new) past.inherited = sides.subject.inherited;
  else refuse_other_shell(past, sides.subject.inherited);
  const auto versions =
      find_versions(experiment, sides.subject, launcher, directory.folder() / "versions", past.run_tag).found;
  refuse_other_versions(past.versions, versions, options.accept_changes);
  keep::write_file_durably(directory.resolved_experiment(), resolved);
  if (is_new) past.whole_bytes = keep::begin_journal(directory.journal(), run_record(past, experiment));
  keep::Journal journal(directory.journal(), past.whole_bytes);
  if (!options.before_search) directory.point_latest_here();
  for (const auto& [what, version] : versions) log::debug(fmt::format("version of {}: {}", what, version));
  if (past.versions != versions) journal.append(versions_record(versions));
  past.versions = versions;
  if (past.setup_files != of_setup && (past.setup_files || !of_setup.empty())) journal.append(setup_record(of_setup));
  past.setup_files = of_setup;
  log::info(fmt::format("run directory: {}", directory.folder().string()));
  const bool was_finished = past.finished;
  const auto added = changed ? suspects_added(past, experiment, sides.subject.environment) : std::nullopt;
  Run run(experiment, sides, directory, journal, std::move(past), launcher, progress);
  if (added) run.warn(*added);
  if (options.before_search) return options.before_search(run);
  const reports::Record record = run_loop(run);
  log::debug(fmt::format("{} after {} trials{}{}", reports::outcome_title(record), record.trials.size(),
                         record.advice.empty() ? "" : ": ", record.advice));
  if ((!was_finished || run.state.concluded) && !options.prune) remember(record, digest, history);
  print_result(record, options.output);
  return exit_code(run.state.history.outcome());
}

}  // namespace

ExitCode drive(configs::Experiment& experiment, const keep::RunDirectory& directory, const DriveOptions& options) {
  try {
    return drive_to_answer(experiment, directory, options);
  } catch (const Interrupted& interrupted) {
    throw Interrupted(interrupted.signal_number(), how_to_go_on(directory));
  }
}

ExitCode drive_in(configs::Experiment& experiment, const RunPlace& place, const DriveOptions& options) {
  if (const auto directory = to_go_on_with(experiment, place)) return drive(experiment, *directory, options);
  const auto directory = keep::RunDirectory::create(place.out, place.prefix);
  try {
    return drive(experiment, directory, options);
  } catch (const configs::ConfigError&) {
    // A recorded reference is read once more after trainings, and may be another by then: what they logged stays.
    if (!fs::exists(directory.trials())) fs::remove_all(directory.folder());  // nothing was started: leave nothing behind
    throw;
  }
}

}  // namespace bisectd::driver::commands
