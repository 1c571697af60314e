#include "driver/loop/replay.hpp"

#include <algorithm>
#include <utility>

#include "driver/baseline/recorded_curve.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/ladder_record.hpp"
#include "driver/loop/other_fixes.hpp"
#include "driver/loop/problem.hpp"
#include "driver/record/costs.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/record/record_keeping.hpp"
#include "driver/record/signature_groups.hpp"
#include "driver/trial/attempts.hpp"
#include "driver/trial/samples.hpp"
#include "reports/lookup.hpp"

namespace bisectd::driver {
namespace {

/// Every trial of the journal but those that were open when their bisectd ended; and what does not need the experiment.
void add_trials(reports::Record& record, const History& history, bool driven) {
  if (history.catalogue)
    for (const neutralise::Member& member : history.catalogue->members())
      record.suspects.push_back({member.family, member.name});
  for (const PastTrial& past : history.trials) {
    if (past.judgement || (driven && !history.finished)) restore(record, past);
    if (past.judgement && past.role == Role::as_is) record.noise = past.judgement->noise;
  }
}

void add_conclusion(reports::Record& record, const History& history) {
  if (!history.failure.empty()) {
    record.outcome = reports::Outcome::infrastructure;
    record.advice = history.failure;
  }
  if (!history.conclusion) return;
  const PastConclusion& past = *history.conclusion;
  record.finished = true;
  record.outcome = past.outcome;
  record.answer = past.answer;
  record.advice = past.advice;
  record.warnings = past.warnings;
  record.agreed_checks = past.agreed_checks;
  for (const auto& [suspect, why] : past.no_effect) record.no_effect.push_back({suspect, why});
  if (history.catalogue && !past.no_effect.empty())  // those that are always on are listed behind the others
    for (const neutralise::Member& member : history.catalogue->always_on())
      record.suspects.push_back({member.family, member.name});
  record.workaround = past.workaround;
  record.workaround_unset = past.workaround_unset;
  record.workaround_arguments = past.workaround_arguments;
}

class Replay {
 public:
  Replay(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& history)
      : experiment_(experiment), directory_(directory), history_(history) {}

  reports::Record operator()(bool driven, Detail detail) {
    record_ = new_record(experiment_, directory_, history_);
    add_trials(record_, history_, driven);
    if (history_.catalogue) record_.ladders = climbed_ladders(experiment_, history_);
    add_curves(detail);
    add_answer();
    add_conclusion(record_, history_);
    add_descent();
    if (record_.finished) {
      show_fix();
      describe_costs(record_, history_.catalogue ? other_fixes(record_.answer, problem()) : NoFixes{});
      if (history_.prune) describe_pruned(record_);
    }
    describe_reproductions(record_, directory_);
    describe_signature_groups(record_);
    return std::move(record_);
  }

 private:
  using NoFixes = std::vector<std::vector<strategies::SuspectId>>;

  strategies::Problem problem() const {
    return problem_of(experiment_, *history_.catalogue, launch::DevicePool(experiment_.subject).size(), history_.exact);
  }

  judge::Curve curve_of(const reports::Trial& trial, const reports::Attempt& attempt) const {
    const configs::Side& side = trial.role == name_of(Role::reference)
                                    ? static_cast<const configs::Side&>(experiment_.reference)
                                    : experiment_.subject;
    return logged_curve(side, directory_.folder() / attempt.folder, experiment_.metrics, attempt.perturbed);
  }

  void add_curves(Detail detail) {
    const std::vector<judge::Curve> references = experiment_.reference.is_recorded()
                                                     ? recorded_curves(experiment_)
                                                     : whole_curves(experiment_, directory_, history_, Role::reference);
    const configs::Metric& metric = experiment_.metrics.front();
    if (auto seated = judge::Panel::seat(experiment_.accept,
                                         {.name = metric.name, .higher_is_better = metric.higher_is_better}, references)) {
      panel_ = std::move(*seated);
      describe_reference(record_, panel_->whole());
    }
    const std::vector<judge::Curve> as_is = whole_curves(experiment_, directory_, history_, Role::as_is);
    if (panel_ && !as_is.empty()) {
      panel_->learn_healthy_spread(as_is);
      // The last without a perturbation, which a live run shows, too; they are sorted by their seeds.
      const auto perturbed = std::ranges::find_if(as_is, [](const judge::Curve& curve) { return curve.perturbed != 0; });
      describe_subject(record_, panel_->whole(), perturbed == as_is.begin() ? as_is.back() : *std::prev(perturbed),
                       SubjectCurve::as_is);
    }
    if (panel_) describe_comparable(record_, *panel_);
    for (reports::Trial& trial : record_.trials)
      for (reports::Attempt& attempt : trial.attempts)
        if (is_running(trial, attempt)) add_curve_so_far(trial, attempt);
    if (detail == Detail::whole) add_logged_curves(record_, experiment_, directory_);
  }

  /// An attempt that runs has no exit yet.
  static bool is_running(const reports::Trial& trial, const reports::Attempt& attempt) {
    return trial.running && attempt.exit.empty();
  }

  void add_curve_so_far(reports::Trial& trial, reports::Attempt& attempt) const {
    const judge::Curve curve = curve_of(trial, attempt);
    const auto series = curve.series.find(record_.metric);
    if (series == curve.series.end() || series->second.empty()) return;
    attempt.curve = line_of(series->second, kAttemptPoints);
    attempt.last_step = series->second.back().step;
    attempt.last_value = series->second.back().value;
    if (panel_) trial.delta = attempt.delta = difference_so_far(panel_->whole(), series->second);
  }

  void add_descent() {
    if (!history_.catalogue) return;
    record_.parts = parts_in(experiment_, *history_.catalogue);
    if (history_.descent) record_.descent = descent_of(*history_.descent, retold(experiment_, history_, problem()).first);
  }

  /// Of a run under way; a finished one has its answer in the journal.
  void add_answer() {
    if (history_.finished || !history_.catalogue) return;
    RetoldAnswers answers = retold(experiment_, history_, problem());
    record_.answer = answers.standing();
  }

  void show_fix() {
    const reports::Trial* fix = reports::fix_trial(record_);
    if (record_.outcome != reports::Outcome::culprits || !panel_ || !fix || fix->attempts.empty()) return;
    describe_subject(record_, panel_->whole(), curve_of(*fix, fix->attempts.back()), SubjectCurve::fix);
  }

  const configs::Experiment& experiment_;
  const keep::RunDirectory& directory_;
  const History& history_;
  reports::Record record_;
  std::optional<judge::Panel> panel_;
};

}  // namespace

std::vector<judge::Curve> whole_curves(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                                       const History& history, Role role) {
  const configs::Side& side = role == Role::reference ? experiment.reference : experiment.subject;
  std::vector<judge::Curve> curves;
  for (const PastTrial& past : history.trials)
    for (const PastAttempt& attempt : past.attempts)
      if (past.role == role && !attempt.set_aside && (attempt.ending == Ending::finished || attempt.ending == Ending::whole))
        curves.push_back(logged_curve(side, directory.attempt(past.number, set_key(past.neutralised), attempt.number),
                                      experiment.metrics, attempt.undone.empty() ? attempt.perturbed : 0));
  return as_samples(std::move(curves));
}

reports::Record replay(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& history,
                       bool driven, Detail detail) {
  return Replay(experiment, directory, history)(driven, detail);
}

reports::Record replay_without_experiment(const keep::RunDirectory& directory, const History& history, bool driven) {
  configs::Experiment experiment;
  experiment.file = history.experiment_file;
  experiment.name = history.name;
  experiment.metrics.push_back({.name = history.metric});
  experiment.accept.target = history.target;
  reports::Record record = new_record(experiment, directory, history);
  add_trials(record, history, driven);
  add_conclusion(record, history);
  return record;
}

}  // namespace bisectd::driver
