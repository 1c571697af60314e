#include "driver/loop/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "configs/printable.hpp"
#include "driver/judge/running.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/findings.hpp"
#include "driver/record/record_curves.hpp"
#include "reports/progress.hpp"
#include "reports/write.hpp"

namespace bisectd::driver {
namespace {

/// Reports are rewritten after a trial, but not more often than this, nor for more than this share of the time: with
/// trials of milliseconds they would take all of it.
constexpr double kReportEvery_s = 2.0;
constexpr double kReportShare = 0.02;

}  // namespace

Run::Run(const configs::Experiment& experiment_given, Sides& sides_given, const keep::RunDirectory& directory_given,
         keep::Journal& journal_given, History past, launch::Launcher& launcher_given, Progress& progress_given)
    : input{experiment_given, sides_given, WatchList(experiment_given)},
      experiment(experiment_given),
      sides(sides_given),
      directory(directory_given),
      state(state_after(experiment, std::move(past))),
      journal(journal_given),
      launcher(launcher_given),
      progress(progress_given),
      judge_(input, state),
      attempts_(launcher, experiment.metrics, state.history.run_tag, state.history.elapsed_s, state.history.readings,
                [this](const RunningAttempt& running) { return see_running(running); }),
      trials(
          attempts_, journal, directory,
          {.whole = [this](const TrialPlan& plan,
                           std::span<const judge::Curve> curves) { return judge_.whole(plan, curves); },
           .ended_early = [this](const judge::Curve& curve) { return judge_.ended_early(curve); },
           .broken = [this](const TrialPlan& plan, const AttemptOutcome& outcome) { return judge_.broken(plan, outcome); }},
          [this](const TrialPlan& plan, const AttemptOutcome* outcome) { note(plan, outcome); }) {
  trials.before_judged([this](const FinishedTrial& finished) { journal_findings(*this, finished); });
  journal.tell([this](const nlohmann::json& line) { state.history.take(line); });
  for (const PastTrial& trial : state.history.trials) {
    trials.continue_numbers_after(trial.number);
    last_earlier_ = trial.number;
    const bool came_far = std::ranges::any_of(trial.attempts, [](const Attempt& attempt) { return attempt.last_step > 0; });
    if (trial.role != Role::reference && came_far)
      for (const configs::Metric& metric : experiment.metrics) metrics_read_.insert(metric.name);
  }
}

const PastTrial* Run::begun(const TrialPlan& plan) const {
  const auto same = std::ranges::find_if(state.history.trials, [&](const PastTrial& trial) {
    return trial.number <= last_earlier_ && trial.role == plan.role && trial.neutralised == plan.neutralised &&
           trial.rungs == plan.rungs && (!is(plan.role, reports::kManyPerSet) || trial.reason == plan.reason);
  });
  return same == state.history.trials.end() ? nullptr : &*same;
}

void Run::start(TrialPlan plan) { trials.start(std::move(plan)); }

void Run::start_or_go_on(TrialPlan plan) {
  if (const PastTrial* same = begun(plan)) trials.go_on(std::move(plan), *same);
  else start(std::move(plan));
}

/// True: it need not go on.
bool Run::see_running(const RunningAttempt& running) {
  LoggedSoFar& logged = state.running[directory.relative(running.request.folder)];
  logged.last_step = running.log.last_step();
  const auto series = running.log.curve().series.find(experiment.metrics.front().name);
  if (series != running.log.curve().series.end() && !series->second.empty()) {
    logged.last_value = series->second.back().value;
    if (state.jury) logged.delta = difference_so_far(state.jury->first(), series->second);
  }
  progress.running([&](std::size_t columns, std::size_t rows) { return reports::live_lines(record(), columns, rows); },
                   [&] { return reports::heartbeat_line(record()); });
  return judge_.is_certain(running.request, running.log.curve());
}

std::vector<FinishedTrial> Run::wait() {
  std::vector<FinishedTrial> finished;
  try {
    finished = trials.wait();
  } catch (const TooManyLost& error) {
    leave_open(trials.finished());
    throw Infrastructure(error.what());
  } catch (const launch::NothingStarts& error) {
    leave_open(trials.finished());
    throw Infrastructure(error.what());
  }
  if (attempts_.signal_number() != 0) {
    leave_open(finished);
    journal.append(session_record(now_s(), "", std::nullopt));
    throw Interrupted(attempts_.signal_number());
  }
  for (const FinishedTrial& trial : finished) take_in(trial);
  if (must_only_run()) refuse_unread_metrics(finished);
  return finished;
}

/// Where a run need only run, one that leaves with 0 and shows no value says nothing of suspects, but that the metric is
/// read wrongly, as long as no other run showed one either. Throws Infrastructure.
void Run::refuse_unread_metrics(const std::vector<FinishedTrial>& finished) {
  for (const FinishedTrial& trial : finished)
    for (const AttemptOutcome& attempt : trial.attempts)
      for (const auto& [metric, points] : attempt.curve.series)
        if (!points.empty()) metrics_read_.insert(metric);
  for (const FinishedTrial& trial : finished) {
    if (trial.judgement.reason != judge::kNoCurve || trial.attempts.empty()) continue;
    for (const configs::Metric& metric : experiment.metrics) {
      if (metric.is_watched() || metrics_read_.contains(metric.name)) continue;
      stop_all("the metric cannot be read");
      const AttemptOutcome& attempt = trial.attempts.back();
      const configs::Place& place = metric.pattern ? metric.pattern->place : metric.format.place;
      const std::string why =
          metric.pattern ? fmt::format("{}:{}: the pattern must fit what the subject logs", place.file, place.line)
          : !metric.format.value.empty() ? fmt::format("{}:{}: the format {} must fit what the subject logs", place.file,
                                                       place.line, metric.format.value)
          : attempt.said_of_log.empty()  ? "its log cannot be read"
                                         : attempt.said_of_log.front();
      throw Infrastructure(
          fmt::format(
              "trial {} left with 0, but no line of its log is a value of {}, nor is one of any run before: {} (see {})",
              trial.plan.number, metric.name, configs::printable(why), directory.relative(attempt.folder)),
          trial.plan.number);
    }
  }
}

/// The session ends here: what came to its end is taken in, what runs is ended and shown no more.
void Run::leave_open(const std::vector<FinishedTrial>& finished) {
  for (const FinishedTrial& trial : finished) take_in(trial);
  stop_all();
}

void Run::stop_all(const std::string& why) {
  trials.stop_all(why);
  state.open.clear();
  state.running.clear();
}

/// A trial starts or is taken up (`outcome` null), or one of its attempts ended.
void Run::note(const TrialPlan& plan, const AttemptOutcome* outcome) {
  state.open.insert(plan.number);
  if (!outcome) return;
  const std::string folder = directory.relative(outcome->folder);
  state.running.erase(folder);
  if (const auto series = outcome->curve.series.find(experiment.metrics.front().name); series != outcome->curve.series.end())
    state.logged_lines[folder] = line_of(series->second, kAttemptPoints);
}

std::vector<FinishedTrial> Run::run_all(std::vector<TrialPlan> plans) {
  if (state.history.finished) std::erase_if(plans, [&](const TrialPlan& plan) { return !was_begun(plan); });
  const auto is_new = [&](Role role) { return !reports::traits_of(role).phase.empty() && !announced_.contains(role); };
  if (!plans.empty() && is_new(plans.front().role)) log::info(reports::phase_line(frame(), plans.front().role));
  for (TrialPlan& plan : plans) {
    announced_.insert(plan.role);
    start_or_go_on(std::move(plan));
  }
  std::vector<FinishedTrial> all;
  while (trials.any_open())
    for (FinishedTrial& finished : wait()) all.push_back(std::move(finished));
  journal.sync();  // what they showed is told, and commands are run because of it
  return all;
}

void Run::take_in(const FinishedTrial& finished) {
  state.open.erase(finished.plan.number);
  if (state.jury) state.jury->learn(finished.judgement);
  warn_of_perturbation(finished);
  for (const AttemptOutcome& attempt : finished.attempts) {
    judge_.forget(attempt);
    for (const std::string& said : attempt.said_of_log)
      if (!attempt.learnt.empty()) log::info("  " + configs::printable(said));
  }
  const auto& told = state.history;
  log::info(reports::trial_line(frame(), shown_trial(told.numbered(finished.plan.number), state), told.order_judged.size()));
}

void Run::warn_of_perturbation(const FinishedTrial& finished) {
  const configs::Side& side = *finished.plan.side->settings;
  if (!side.perturb) return;
  const bool trusted = finished.plan.role == Role::reference;
  for (const OddPerturbation& odd : odd_perturbations(finished.attempts, *side.perturb, trusted ? "reference" : "subject",
                                                      experiment.metrics.front().name))
    if (warned_of_.emplace(trusted, odd.oddity).second) warn(odd.text);
}

void Run::warn(std::string text) {
  log::warning("warning: " + text);
  state.warnings.push_back(std::move(text));
}

bool Run::hours_spent(double kept_back_s) const {
  const auto& hours = experiment.search.budget_hours;
  return hours && now_s() + kept_back_s >= *hours * 3600.0;
}

bool Run::trials_spent() const {
  const auto& most = experiment.search.budget_trials;
  if (!most) return false;
  const auto& all = state.history.trials;
  const auto searched = std::ranges::count_if(all, [](const PastTrial& one) { return is(one.role, reports::kInSearch); });
  const auto discoveries = std::ranges::count(all, Role::discovery, &PastTrial::role);
  return searched + std::max<std::ptrdiff_t>(discoveries - 1, 0) >= *most;
}

void Run::write_reports() {
  const double began_s = now_s();
  if (began_s >= next_report_s_) write(record_of(experiment, directory, state, elapsed_s(), Detail::status), began_s);
}

reports::Record Run::write_final_reports() {
  const double began_s = now_s();
  reports::Record record = record_of(experiment, directory, state, elapsed_s(), Detail::whole);
  write(record, began_s);
  return record;
}

void Run::write(const reports::Record& record, double began_s) {
  journal.sync();  // no report tells of what a power cut can undo
  for (const std::string& problem : reports::write_reports(record, directory.folder())) log::warning("warning: " + problem);
  next_report_s_ = began_s + std::max(kReportEvery_s, (now_s() - began_s) / kReportShare);
}

}  // namespace bisectd::driver
