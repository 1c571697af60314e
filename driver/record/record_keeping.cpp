#include "driver/record/record_keeping.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>

#include "configs/loader.hpp"
#include "driver/baseline/recorded_curve.hpp"
#include "driver/record/program_version.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/trial/attempt_files.hpp"
#include "reports/lookup.hpp"

namespace bisectd::driver {
namespace {

std::vector<std::size_t> members_of(const strategies::SuspectSet& set) {
  std::vector<std::size_t> members;
  members.reserve(set.count());
  for (auto id = set.find_first(); id != strategies::SuspectSet::npos; id = set.find_next(id)) members.push_back(id);
  return members;
}

void set_judgement(reports::Trial& trial, const judge::Judgement& judgement) {
  trial.running = false;
  trial.verdict = judgement.verdict;
  trial.reason = judgement.reason;
  trial.text = judgement.text;
  trial.delta = judgement.delta;
  trial.standard_error = judgement.standard_error;
  trial.p_bad = judgement.p_bad;
  trial.signature = judgement.signature;
  trial.notes.insert(trial.notes.end(), judgement.notes.begin(), judgement.notes.end());
}

/// The file as it is called in the experiment's own folder: a resumed run comes to it by another path.
configs::Placed<std::string> seen_from_its_folder(configs::Placed<std::string> text, const configs::Experiment& experiment) {
  const auto folder = std::filesystem::absolute(experiment.file).parent_path();
  const auto file = std::filesystem::absolute(text.place.file).lexically_relative(folder);
  if (!file.empty() && *file.begin() != "..") text.place.file = file.string();
  return text;
}

/// The attempt of this folder, made if the trial does not have it yet.
reports::Attempt& attempt_of(reports::Trial& trial, const std::string& folder) {
  const auto found = std::ranges::find(trial.attempts, folder, &reports::Attempt::folder);
  return found != trial.attempts.end() ? *found : trial.attempts.emplace_back(reports::Attempt{.folder = folder});
}

reports::Trial opened(std::size_t number, Role role, const strategies::SuspectSet& neutralised, const std::string& reason) {
  reports::Trial trial;
  trial.number = number;
  trial.role = name_of(role);
  trial.neutralised = members_of(neutralised);
  trial.running = true;
  if (role == Role::ladder) trial.notes.push_back(reason);  // which value it tries
  return trial;
}

}  // namespace

reports::Trial& trial_of(reports::Record& record, std::size_t number) {
  // Numbers ascend, so the newest trial, nearly always the one meant, is found at once.
  return *std::find_if(record.trials.rbegin(), record.trials.rend(),
                       [&](const reports::Trial& trial) { return trial.number == number; });
}

reports::Record new_record(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& past) {
  reports::Record record;
  record.program_version = kVersion;
  record.experiment = experiment.name;
  record.experiment_file = std::filesystem::absolute(experiment.file).string();
  record.run_folder = directory.folder().string();
  record.started_utc = past.started_utc;
  record.elapsed_s = past.elapsed_s;
  record.metric = experiment.metrics.front().name;
  record.versions = past.versions;
  record.target = experiment.accept.target;
  record.step_time_limit = experiment.accept.step_time;
  if (experiment.hold.seed) record.held.push_back(fmt::format("seed {}", *experiment.hold.seed));
  if (experiment.hold.deterministic) record.held.push_back("deterministic kernels");
  if (experiment.accept.goal == configs::Goal::runs) record.must_run_to = experiment.steps;
  for (const auto& warning : experiment.warnings)
    record.warnings.push_back(configs::render(seen_from_its_folder(warning, experiment)));
  for (const std::string& version : versions_unlike_recorded(experiment, past.versions))
    record.warnings.push_back("the reference was recorded with other software: " + version);
  record.changes = changes_since_baseline(experiment, past.versions);
  return record;
}

void note(reports::Record& record, const keep::RunDirectory& directory, const TrialPlan& plan,
          const AttemptOutcome* outcome) {
  if (!outcome) {
    record.trials.push_back(opened(plan.number, plan.role, plan.neutralised, plan.reason));
    return;
  }
  reports::Trial& trial = trial_of(record, plan.number);
  reports::Attempt& attempt = attempt_of(trial, directory.relative(outcome->folder));
  attempt = {.folder = attempt.folder,
             .exit = outcome->text,
             .started_s = outcome->started_s,
             .duration_s = outcome->duration_s,
             .device = outcome->device,
             .last_step = outcome->last_step,
             .step_time_s = outcome->step_time_s,
             .perturbed = outcome->perturbed,
             .perturbation = outcome->perturbation};
  if (const auto series = outcome->curve.series.find(record.metric); series != outcome->curve.series.end())
    attempt.curve = line_of(series->second, kAttemptPoints);
  trial.notes.insert(trial.notes.end(), outcome->notes.begin(), outcome->notes.end());
}

void note_running(reports::Record& record, const keep::RunDirectory& directory, const RunningAttempt& running,
                  const judge::Reference* reference) {
  reports::Trial& trial = trial_of(record, running.request.trial);
  reports::Attempt& attempt = attempt_of(trial, directory.relative(running.request.folder));
  attempt.started_s = running.started_s;
  attempt.device = running.device;
  attempt.perturbed = running.request.perturbed;
  attempt.last_step = running.log.last_step();
  const auto series = running.log.curve().series.find(record.metric);
  if (series == running.log.curve().series.end() || series->second.empty()) return;
  attempt.last_value = series->second.back().value;
  if (reference) trial.delta = attempt.delta = difference_so_far(*reference, series->second);
}

void settle(reports::Record& record, const FinishedTrial& finished) {
  set_judgement(trial_of(record, finished.plan.number), finished.judgement);
}

void restore(reports::Record& record, const PastTrial& past) {
  reports::Trial trial = opened(past.number, past.role, past.neutralised, past.reason);
  const std::string key = set_key(past.neutralised);
  for (const PastAttempt& attempt : past.attempts) {
    if (!attempt.ending && past.judgement) continue;
    trial.attempts.push_back({.folder = keep::RunDirectory::attempt_name(past.number, key, attempt.number),
                              .exit = attempt.text,
                              .started_s = attempt.started_s,
                              .duration_s = attempt.duration_s,
                              .device = attempt.device,
                              .last_step = attempt.last_step,
                              .step_time_s = attempt.step_time_s,
                              .perturbed = attempt.perturbed,
                              .perturbation = attempt.perturbation});
    trial.notes.insert(trial.notes.end(), attempt.notes.begin(), attempt.notes.end());
  }
  if (past.judgement) set_judgement(trial, *past.judgement);
  record.trials.push_back(std::move(trial));
}

void add_logged_curves(reports::Record& record, const configs::Experiment& experiment, const keep::RunDirectory& directory) {
  for (reports::Trial& trial : record.trials) {
    const bool trusted = trial.role == name_of(Role::reference);
    const configs::Side& side = trusted ? static_cast<const configs::Side&>(experiment.reference) : experiment.subject;
    for (reports::Attempt& attempt : trial.attempts) {
      const std::filesystem::path folder = directory.folder() / attempt.folder;
      if (attempt.exit.empty() || !attempt.curve.steps.empty() || !std::filesystem::exists(folder)) continue;
      const judge::Curve curve = logged_curve(side, folder, experiment.metrics, attempt.perturbed);
      if (const auto series = curve.series.find(record.metric); series != curve.series.end())
        attempt.curve = line_of(series->second, kAttemptPoints);
    }
  }
}

void describe_reproductions(reports::Record& record, const keep::RunDirectory& directory) {
  record.reproductions.clear();
  if (record.outcome != reports::Outcome::culprits) return;
  for (const strategies::Claim& claim : record.answer.certificate) {
    if (claim.kind != strategies::Claim::Kind::cause_fails) continue;
    const reports::Trial* trial = reports::shown_by(record, claim);
    if (!trial || trial->attempts.empty()) continue;
    const std::filesystem::path script = command_file(directory.folder() / trial->attempts.back().folder);
    if (std::filesystem::exists(script))
      record.reproductions.push_back({claim.subject, trial->number, keep::read_file(script)});
  }
}

}  // namespace bisectd::driver
