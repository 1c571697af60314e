#include "driver/loop/night.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/judge/running.hpp"
#include "driver/loop/problem.hpp"
#include "driver/record/record_keeping.hpp"
#include "driver/trial/attempt_files.hpp"
#include "reports/progress.hpp"
#include "reports/write.hpp"

namespace bisectd::driver {
namespace {

/// Reports are rewritten after a trial, but not more often than this, nor for more than this share of the time: with
/// trials of milliseconds they would be the night.
constexpr double kReportEvery_s = 2.0;
constexpr double kReportShare = 0.02;
constexpr int kRunsThatShowDrift = 4;  ///< three degrees of freedom; fewer make the comparable part very short
constexpr int kRetriesOfEnds = 2;  ///< of a crash, in a reference, the subject as it is, and a proof

}  // namespace

Night::Night(const configs::Experiment& experiment_given, Sides& sides_given, const keep::RunDirectory& directory_given,
             keep::Journal& journal_given, History past_given, launch::Launcher& launcher_given, Progress& progress_given)
    : experiment(experiment_given), sides(sides_given), directory(directory_given), journal(journal_given),
      past(std::move(past_given)), launcher(launcher_given), progress(progress_given), watch(experiment_given),
      record(new_record(experiment, directory, past)),
      attempts_(launcher, experiment.metrics, past.run_tag, past.elapsed_s,
                [this](const RunningAttempt& running) {
                  record.elapsed_s = now_s();
                  note_running(record, directory, running, jury ? &jury->first() : nullptr);
                  progress.running(
                      [&](std::size_t columns, std::size_t rows) { return reports::live_lines(record, columns, rows); },
                      [&] { return reports::heartbeat_line(record); });
                  return is_certain(running.request, running.log.curve());
                }),
      trials(attempts_, journal, directory,
             {.whole = [this](const TrialPlan& plan, std::span<const judge::Curve> curves) { return judge_whole(plan, curves); },
              .ended_early = [this](const judge::Curve& curve) { return judge_early(curve); },
              .broken = [this](const TrialPlan& plan, const AttemptOutcome& outcome) { return judge_broken(plan, outcome); }},
             [this](const TrialPlan& plan, const AttemptOutcome* outcome) { note(record, directory, plan, outcome); }) {
  for (const PastTrial& trial : past.trials) trials.continue_numbers_after(trial.number);
}

TrialPlan Night::plan_for(Role role, const strategies::SuspectSet& neutralised, std::string reason) const {
  TrialPlan plan;
  plan.role = role;
  plan.neutralised = neutralised;
  plan.reason = std::move(reason);
  plan.side = role == Role::reference ? &sides.reference : &sides.subject;
  plan.steps = experiment.steps;
  if (jury) {
    plan.shortened = role == Role::signature || (role == Role::search && jury->has_horizon());
    plan.last_steps = role == Role::signature ? jury->signature_steps() : jury->last_steps(plan.shortened);
    if (!plan.steps) plan.steps = jury->first().last_step();
  } else if (plan.steps) {
    plan.last_steps[experiment.metrics.front().name] = *plan.steps;
  }
  if (role == Role::reference) {
    plan.attempts = experiment.reference.repeats;
    plan.judged = false;
    plan.crash_retries = kRetriesOfEnds;
    return plan;
  }
  plan.rungs = rungs;
  plan.recipe = neutralise::recipe_for(experiment, catalogue, neutralised, sides.subject.environment, rungs);
  plan.watched = watch.watched();
  plan.max_attempts = experiment.accept.max_repeats;
  if (!jury) {  // it need only run: a crash is an answer, of which one more run makes sure
    plan.crash_retries = 1;
    if (role == Role::discovery) {
      plan.judged = false;
      set_discovery(plan.recipe, experiment, sides.subject);
    }
    return plan;
  }
  plan.crash_retries = role == Role::search || role == Role::signature ? 0 : role == Role::as_is || role == Role::proof ? kRetriesOfEnds : 1;
  if (role == Role::discovery) {
    plan.judged = false;
    set_discovery(plan.recipe, experiment, sides.subject);
  }
  // That the reference has no noise but rounding does not say that the subject has none: let it repeat once. One reference
  // alone leaves it to the subject to show how far runs drift.
  if (role == Role::as_is && (jury->first().distinct() == 1 || experiment.subject.perturb || jury->repeats_show_nothing())) {
    plan.attempts = jury->first().distinct() == 1 && experiment.subject.perturb ? kRunsThatShowDrift : 2;
    plan.max_attempts = std::max(plan.attempts, plan.max_attempts);
  }
  if (role == Role::proof) {
    plan.attempts = jury->likely_proof_attempts();
    plan.max_attempts = jury->proof_attempts();
  }
  return plan;
}

const PastTrial* Night::begun(const TrialPlan& plan) const {
  const auto same = std::ranges::find_if(past.trials, [&](const PastTrial& trial) {
    return trial.role == plan.role && trial.neutralised == plan.neutralised && trial.rungs == plan.rungs;
  });
  return same == past.trials.end() ? nullptr : &*same;
}

void Night::start_or_go_on(TrialPlan plan) {
  if (const PastTrial* same = begun(plan))
    trials.go_on(std::move(plan), *same);
  else
    trials.start(std::move(plan));
}

std::vector<FinishedTrial> Night::wait() {
  std::vector<FinishedTrial> finished = trials.wait();
  if (attempts_.signal_number() != 0) {
    trials.stop_all();
    journal.append(session_record(now_s(), "", std::nullopt));
    throw Interrupted(attempts_.signal_number());
  }
  for (const FinishedTrial& trial : finished) take_in(trial);
  return finished;
}

std::vector<FinishedTrial> Night::wait_for_all() {
  std::vector<FinishedTrial> all;
  while (trials.any_open())
    for (FinishedTrial& finished : wait()) all.push_back(std::move(finished));
  return all;
}

void Night::take_in(const FinishedTrial& finished) {
  settle(record, finished);
  if (jury) jury->learn(finished.judgement);
  warn_of_perturbation(finished);
  for (const AttemptOutcome& attempt : finished.attempts) watches_.erase(attempt.folder.string());
  progress.line(reports::trial_line(record, trial_of(record, finished.plan.number)));
}

void Night::warn_of_perturbation(const FinishedTrial& finished) {
  const configs::Side& side = *finished.plan.side->settings;
  if (!side.perturb) return;
  const bool trusted = finished.plan.role == Role::reference;
  for (const OddPerturbation& odd : odd_perturbations(finished.attempts, *side.perturb, trusted ? "reference" : "subject",
                                                      experiment.metrics.front().name))
    if (warned_of_.emplace(trusted, odd.oddity).second) warn(odd.text);
}

bool Night::is_certain(const AttemptRequest& request, const judge::Curve& so_far) {
  if (must_only_run()) return request.side == &sides.subject && judge::first_not_finite(judged_metrics(), so_far);
  // Only the search may take a short cut: both ends and the certificate are always seen at full length.
  if (!jury || role_of(trial_of(record, request.trial).role) != Role::search) return false;
  auto watching = watches_.try_emplace(request.folder.string(), jury->watch()).first;
  return watching->second.look(so_far).has_value();
}

std::vector<std::string> Night::judged_metrics() const {
  std::vector<std::string> names;
  for (const configs::Metric& metric : experiment.metrics)
    if (!metric.is_watched()) names.push_back(metric.name);
  return names;
}

/// Where a run need only run, one that died or hung is an answer; elsewhere it is none. None either, where its log names a member
/// that cannot be neutralised, or a line that could not be read, and where the program was not even found.
std::optional<judge::Judgement> Night::judge_broken(const TrialPlan& plan, const AttemptOutcome& last) const {
  const bool broke = last.ending == Ending::crashed || last.ending == Ending::timed_out || last.ending == Ending::stalled;
  if (!must_only_run() || !plan.judged || !broke || !last.errors.empty()) return std::nullopt;
  for (const strategies::SuspectId id : watch.refused(catalogue, last.names))
    if (plan.neutralised.test(id)) return std::nullopt;
  const std::string where = last.last_step ? fmt::format(" after step {}", *last.last_step) : " before the first step";
  return judge::broke(name_of(last.ending), last.text + where);
}

judge::Judgement Night::judge_whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const {
  if (must_only_run()) return judge::judge_running(judged_metrics(), *experiment.steps, curves);
  if (plan.role == Role::as_is) {
    judge::Jury taught = *jury;  // by these very repeats, which show what the references cannot
    taught.learn_healthy_spread(curves);
    taught.set_signature_steps(static_cast<std::size_t>(experiment.search.signature_steps));
    judge::Judgement judgement = taught.judge(curves);
    judgement.signature = taught.signature(curves.front());
    return judgement;
  }
  judge::Judgement judgement;
  if (plan.role == Role::signature)
    judgement = {.verdict = strategies::Verdict::pass, .reason = kMeasured};
  else if (plan.role == Role::proof)
    judgement = jury->judge_proof(curves);
  else
    judgement = plan.shortened ? jury->judge_shortened(curves) : jury->judge(curves);
  judgement.signature = jury->signature(curves.front());
  return judgement;
}

judge::Judgement Night::judge_early(const judge::Curve& curve) const {
  if (must_only_run()) return judge::judge_running(judged_metrics(), *experiment.steps, std::span(&curve, 1));
  const auto certain = jury->watch().look(curve);
  // What was learnt of the noise meanwhile can make it less certain again; then the attempt says nothing.
  return certain.value_or(judge::Judgement{.reason = "ended-early", .text = "ended early, but not certain any more"});
}

void Night::warn(std::string text) {
  progress.line("warning: " + text);
  record.warnings.push_back(std::move(text));
}

void Night::write_reports(bool final) {
  record.elapsed_s = past.finished ? past.elapsed_s : now_s();
  if (!final && now_s() < next_report_s_) return;
  const double began_s = now_s();
  if (final) {
    add_logged_curves(record, experiment, directory);
    describe_reproductions(record, directory);
  }
  for (const std::string& problem : reports::write_reports(record, directory.folder())) progress.line("warning: " + problem);
  next_report_s_ = began_s + std::max(kReportEvery_s, (now_s() - began_s) / kReportShare);
}

}  // namespace bisectd::driver
