#include "driver/loop/run_record.hpp"

#include <fmt/format.h>

#include <utility>

#include "configs/loader.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/ladders.hpp"
#include "driver/loop/trial_planning.hpp"
#include "driver/record/costs.hpp"
#include "driver/record/program_version.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/record/signature_groups.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/outcome.hpp"
#include "driver/trial/sides.hpp"
#include "reports/lookup.hpp"

namespace bisectd::driver {
namespace {

/// The file as it is called in the experiment's own folder: a resumed run comes to it by another path.
configs::Placed<std::string> seen_from_its_folder(configs::Placed<std::string> text, const configs::Experiment& experiment) {
  const auto folder = std::filesystem::absolute(experiment.file).parent_path();
  const auto file = std::filesystem::absolute(text.place.file).lexically_relative(folder);
  if (!file.empty() && *file.begin() != "..") text.place.file = file.string();
  return text;
}

std::vector<std::string> warnings_of(const configs::Experiment& experiment, const History& history) {
  std::vector<std::string> warnings;
  for (const auto& warning : experiment.warnings)
    warnings.push_back(configs::placed_text(seen_from_its_folder(warning, experiment)));
  for (const std::string& version : versions_unlike_recorded(experiment, history.versions))
    warnings.push_back("the reference was recorded with other software: " + version);
  return warnings;
}

void show_conclusion(reports::Record& record, const History& history) {
  record.outcome = history.outcome();
  if (record.outcome == reports::Outcome::infrastructure) record.advice = history.failure;
  if (!history.finished) return;
  record.finished = true;
  static_cast<Conclusion&>(record) = *history.conclusion;
  if (history.catalogue && !record.no_effect.empty())  // those that are always on are listed behind the others
    for (const neutralise::Member& member : history.catalogue->always_on())
      record.suspects.push_back({member.family, member.name}), ++record.always_on;
}

void show_judgement(reports::Trial& trial, const judge::Judgement& judgement) {
  static_cast<strategies::Judged&>(trial) = judgement;
  trial.notes.insert(trial.notes.end(), judgement.notes.begin(), judgement.notes.end());
}

/// What ended attempts logged, where no curve of them is known and their files are still there.
void read_logged_lines(reports::Record& record, const configs::Experiment& experiment, const keep::RunDirectory& directory,
                       const read::Readings& known) {
  for (reports::Trial& trial : record.trials) {
    const configs::Side& side = side_of(experiment, trial.role);
    for (reports::Attempt& attempt : trial.attempts) {
      const std::filesystem::path folder = directory.folder() / attempt.folder;
      if (attempt.text.empty() || !attempt.curve.steps.empty() || !std::filesystem::exists(folder)) continue;
      const judge::Curve curve = logged_curve(side, folder, experiment.metrics, known, attempt.perturbed, {});
      if (const auto series = curve.series.find(record.metric); series != curve.series.end())
        attempt.curve = line_of(series->second, kAttemptPoints);
    }
  }
}

/// The commands of the trials that show the causes, from their attempts' folders.
void show_reproductions(reports::Record& record, const keep::RunDirectory& directory) {
  if (record.outcome != reports::Outcome::culprits) return;
  for (const strategies::Claim& claim : record.answer.certificate) {
    if (claim.kind != strategies::Claim::Kind::cause_fails || !claim.proved) continue;
    const reports::Trial* trial = reports::shown_by(record, claim);
    const reports::Attempt* attempt = trial ? reports::attempt_to_run_again(*trial) : nullptr;
    if (!attempt) continue;
    const std::filesystem::path script = command_file(directory.folder() / attempt->folder);
    if (std::filesystem::exists(script))
      record.reproductions.push_back({claim.subject, trial->number, keep::read_file(script)});
  }
}

}  // namespace

RunState state_after(const configs::Experiment& experiment, History history) {
  RunState state{.history = std::move(history)};
  if (state.history.catalogue) state.catalogue = *state.history.catalogue;
  state.warnings = warnings_of(experiment, state.history);
  state.changes = changes_since_baseline(experiment, state.history.versions);
  return state;
}

void describe_fix(const configs::Experiment& experiment, const keep::RunDirectory& directory, RunState& state,
                  const judge::Reference& reference) {
  const PastTrial* trial = judged_trial(
      state.history, strategies::Neutralised(state.catalogue.set_of(state.answer.culprit_set)), strategies::Verdict::pass);
  const Attempt* attempt = trial ? last_ended(*trial) : nullptr;
  if (!attempt) return;
  const auto folder = directory.attempt(trial->number, attempt->number);
  const judge::Curve curve = logged_curve(experiment.subject, folder, experiment.metrics, state.history.readings,
                                          attempt->perturbed, steps_of(experiment, trial->role));
  describe_subject(state.comparison, experiment.metrics.front().name, reference, curve, SubjectCurve::fix);
}

reports::Record frame_of(const configs::Experiment& experiment, const keep::RunDirectory& directory, const RunState& state,
                         double elapsed_s) {
  const History& history = state.history;
  reports::Record record;
  static_cast<reports::Comparison&>(record) = state.comparison;
  record.program_version = kVersion;
  record.experiment = experiment.name;
  record.experiment_file = std::filesystem::absolute(experiment.file).string();
  record.run_folder = directory.folder().string();
  record.started_utc = history.started_utc;
  record.elapsed_s = elapsed_s;
  record.metric = experiment.metrics.front().name;
  record.versions = history.versions;
  record.changes = state.changes;
  record.target = experiment.accept.target;
  record.worse_only = experiment.accept.worse_only;
  record.higher_is_better = experiment.metrics.front().higher_is_better;
  record.step_time_limit = experiment.accept.step_time;
  if (experiment.hold.seed) record.held.push_back(fmt::format("seed {}", *experiment.hold.seed));
  if (experiment.hold.deterministic) record.held.push_back("deterministic kernels");
  if (experiment.accept.goal == configs::Goal::runs) record.must_run_to = experiment.steps;
  record.warnings = state.warnings;
  record.agreed_checks = state.agreed_checks;
  for (const neutralise::Member& member : state.catalogue.members()) record.suspects.push_back({member.family, member.name});
  record.parts = parts_in(experiment, state.catalogue);
  record.answer = state.answer;
  if (!history.finished) {  // then it is the search's own
    state.trials_left.count_down(record.answer, history.order_judged.size());
    record.why_more_trials = state.trials_left.why_more();
  }
  if (history.descent && state.before_descent) {
    record.descent = history.descent;
    record.descent->before = *state.before_descent;
  }
  show_conclusion(record, history);
  return record;
}

reports::Trial shown_trial(const PastTrial& past, const RunState& state) {
  reports::Trial trial;
  trial.number = past.number;
  trial.role = past.role;
  trial.neutralised = reports::members(past.neutralised);
  trial.running = !past.judgement || state.open.contains(past.number);
  if (past.role == Role::ladder) trial.notes = {trial.value = past.reason};
  for (const Attempt& attempt : past.attempts) {
    const std::string folder = keep::RunDirectory::attempt_name(past.number, attempt.number);
    const auto running = state.running.find(folder);
    if (!attempt.ending && running == state.running.end()) continue;  // it ran when an earlier bisectd was killed
    reports::Attempt& shown = trial.attempts.emplace_back(reports::Attempt{attempt, folder});
    trial.notes.insert(trial.notes.end(), attempt.notes.begin(), attempt.notes.end());
    if (!attempt.ending) {
      shown.last_step = running->second.last_step;
      shown.last_value = running->second.last_value;
      shown.curve = running->second.curve;
      trial.delta = shown.delta = running->second.delta;
    } else if (const auto line = state.logged_lines.find(folder); line != state.logged_lines.end()) {
      shown.curve = line->second;
    }
  }
  if (!trial.running) show_judgement(trial, *past.judgement);
  return trial;
}

reports::Record record_of(const configs::Experiment& experiment, const keep::RunDirectory& directory, const RunState& state,
                          double elapsed_s, Detail detail) {
  const History& history = state.history;
  reports::Record record = frame_of(experiment, directory, state, elapsed_s);
  for (const PastTrial& past : history.trials) {
    if (past.judgement || state.open.contains(past.number)) record.trials.push_back(shown_trial(past, state));
    for (std::size_t i = 0; i < past.refused.size(); ++i)
      if (!past.refused_because[i].empty()) record.refused.emplace(past.refused[i], past.refused_because[i]);
    if (past.judgement && past.judgement->noise && past.role == Role::as_is) record.noise = past.judgement->noise;
  }
  if (detail == Detail::live) return record;
  if (history.catalogue) record.ladders = climbed_ladders(experiment, history);
  if (record.finished) {
    static_cast<reports::Costs&>(record) = costs_of(experiment, history, record.answer.culprit_set, state.other_fixes);
    if (history.prune) record.pruned = pruned_by(history, *history.conclusion);
  }
  if (detail == Detail::whole) read_logged_lines(record, experiment, directory, history.readings);
  show_reproductions(record, directory);
  describe_signature_groups(record);
  return record;
}

}  // namespace bisectd::driver
