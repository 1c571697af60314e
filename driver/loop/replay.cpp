#include "driver/loop/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/baseline/recorded_curve.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/other_fixes.hpp"
#include "driver/loop/problem.hpp"
#include "driver/loop/trial_planning.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/trial/attempts.hpp"
#include "driver/trial/outcome.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {
namespace {

/// What a run that another bisectd drives, drove or will go on with knows, from its journal and its logs.
class Replay {
 public:
  Replay(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& history)
      : experiment_(experiment), directory_(directory), state_(state_after(experiment, history)) {}

  RunState operator()(bool driven) {
    const History& history = state_.history;
    show_curves();
    if (driven && !history.finished) show_running();
    if (!history.catalogue) return std::move(state_);
    const auto problem =
        problem_of(experiment_, state_.catalogue, launch::DevicePool(experiment_.subject).size(), history.exact);
    if (!history.finished || history.descent) tell_answers(retold(experiment_, history, problem));
    if (!history.finished) return std::move(state_);
    state_.answer = history.conclusion->answer;
    state_.other_fixes = other_fixes(state_.answer, problem);
    show_fix();
    return std::move(state_);
  }

 private:
  judge::Curve curve_of(const PastTrial& trial, const Attempt& attempt) const {
    return logged_curve(side_of(experiment_, trial.role), directory_.attempt(trial.number, attempt.number),
                        experiment_.metrics, state_.history.readings, attempt.perturbed, steps_of(experiment_, trial.role));
  }

  void show_curves() {
    const std::vector<judge::Curve> references =
        experiment_.reference.is_recorded() ? recorded_curves(experiment_)
                                            : whole_curves(experiment_, directory_, state_.history, Role::reference);
    const configs::Metric& metric = experiment_.metrics.front();
    if (auto seated = judge::Panel::seat(experiment_.accept,
                                         {.name = metric.name, .higher_is_better = metric.higher_is_better}, references)) {
      panel_ = std::move(*seated);
      describe_reference(state_.comparison, panel_->whole());
    }
    const std::vector<judge::Curve> as_is = whole_curves(experiment_, directory_, state_.history, Role::as_is);
    if (panel_ && !as_is.empty()) {
      panel_->learn_subject(as_is, judge::AlreadyLearnt::no);  // for what is drawn
      // The last without a perturbation, which a live run shows, too; they are sorted by their seeds.
      const auto perturbed =
          std::ranges::find_if(as_is, [](const judge::Curve& curve) { return curve.perturbed.value_or(0) != 0; });
      describe_subject(state_.comparison, metric.name, panel_->whole(),
                       perturbed == as_is.begin() ? as_is.back() : *std::prev(perturbed), SubjectCurve::as_is);
    }
  }

  void show_running() {
    for (const PastTrial& trial : state_.history.trials) {
      if (trial.judgement) continue;
      state_.open.insert(trial.number);
      for (const Attempt& attempt : trial.attempts)
        if (!attempt.ending)
          state_.running[keep::RunDirectory::attempt_name(trial.number, attempt.number)] =
              logged_so_far(curve_of(trial, attempt));
    }
  }

  LoggedSoFar logged_so_far(const judge::Curve& curve) const {
    LoggedSoFar logged;
    const auto series = curve.series.find(experiment_.metrics.front().name);
    if (series == curve.series.end() || series->second.empty()) return logged;
    logged.curve = line_of(series->second, kAttemptPoints);
    logged.last_step = series->second.back().step;
    logged.last_value = series->second.back().value;
    if (panel_) logged.delta = difference_so_far(panel_->whole(), series->second);
    return logged;
  }

  void tell_answers(RetoldAnswers answers) {
    state_.answer = answers.standing();
    state_.before_descent = std::move(answers.first);
  }

  void show_fix() {
    if (panel_ && state_.history.outcome() == reports::Outcome::culprits)
      describe_fix(experiment_, directory_, state_, panel_->whole());
  }

  const configs::Experiment& experiment_;
  const keep::RunDirectory& directory_;
  RunState state_;
  std::optional<judge::Panel> panel_;
};

bool is_whole(const Attempt& attempt) { return !attempt.set_aside && is_whole(attempt.ending); }

}  // namespace

std::vector<judge::Curve> whole_curves(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                                       const History& history, Role role) {
  const configs::Side& side = side_of(experiment, role);
  std::vector<judge::Curve> curves;
  for (const PastTrial& past : history.trials)
    for (const Attempt& attempt : past.attempts)
      if (past.role == role && is_whole(attempt))
        curves.push_back(logged_curve(side, directory.attempt(past.number, attempt.number), experiment.metrics,
                                      history.readings, attempt.undone.empty() ? attempt.perturbed : 0,
                                      steps_of(experiment, role)));
  return as_samples(std::move(curves));
}

std::optional<std::string> cut_log(const configs::Experiment& experiment, const keep::RunDirectory& directory,
                                   const History& history, Role role) {
  const configs::Side& side = side_of(experiment, role);
  for (const PastTrial& past : history.trials)
    for (const Attempt& attempt : past.attempts) {
      if (past.role != role || !is_whole(attempt)) continue;
      const std::filesystem::path folder = directory.attempt(past.number, attempt.number);
      const judge::Curve curve = logged_curve(side, folder, experiment.metrics, history.readings, 0, {});
      for (const auto& [metric, step] : attempt.last_steps) {
        const auto logged = curve.series.find(metric);
        if (!step || logged == curve.series.end()) continue;
        const std::int64_t last = logged->second.empty() ? 0 : logged->second.back().step;
        if (last < *step)
          return fmt::format("the log in {} had {} up to step {} when the run ended, and ends at step {} now",
                             folder.string(), metric, *step, last);
      }
    }
  return std::nullopt;
}

reports::Record replay(const configs::Experiment& experiment, const keep::RunDirectory& directory, const History& history,
                       bool driven, Detail detail) {
  const RunState state = Replay(experiment, directory, history)(driven);
  return record_of(experiment, directory, state, history.elapsed_s, detail);
}

reports::Record replay_without_experiment(const keep::RunDirectory& directory, const History& history, bool driven) {
  configs::Experiment experiment;
  experiment.file = history.experiment_file;
  experiment.name = history.name;
  experiment.metrics.push_back({.name = history.metric});
  experiment.accept.target = history.target;
  RunState state = state_after(experiment, history);
  if (driven && !history.finished)
    for (const PastTrial& trial : history.trials)
      if (!trial.judgement) state.open.insert(trial.number);
  return record_of(experiment, directory, state, history.elapsed_s, Detail::live);
}

}  // namespace bisectd::driver
