#include "driver/loop/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/baseline/recorded_curve.hpp"
#include "driver/checks/checks.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/loop/conclusion.hpp"
#include "driver/loop/problem.hpp"
#include "driver/record/record_curves.hpp"
#include "driver/record/record_keeping.hpp"
#include "driver/trial/attempt_files.hpp"
#include "reports/lookup.hpp"
#include "reports/progress.hpp"
#include "reports/write.hpp"

namespace bisectd::driver {
namespace {

using strategies::SuspectSet;
using strategies::Verdict;

/// Reports are rewritten after a trial, but not more often than this, nor for more than this share of the time: with
/// trials of milliseconds they would be the night.
constexpr double kReportEvery_s = 2.0;
constexpr double kReportShare = 0.02;

std::vector<judge::Curve> whole_curves(const FinishedTrial& finished) {
  std::vector<judge::Curve> curves;
  for (const AttemptOutcome& attempt : finished.attempts)
    if (can_be_judged(attempt)) curves.push_back(attempt.curve);
  return curves;
}

/// Attempts that logged bit for bit what the first one did. They show that the subject has no noise even where the judge
/// takes no spread from them, because the run failed by an event.
int identical_repeats(const FinishedTrial& finished) {
  const std::vector<judge::Curve> curves = whole_curves(finished);
  return static_cast<int>(std::count_if(curves.begin() + 1, curves.end(), [&](const judge::Curve& curve) {
    return std::ranges::equal(curve.series, curves.front().series, [](const auto& a, const auto& b) {
      return a.first == b.first && judge::identical(judge::tidy(a.second), judge::tidy(b.second));
    });
  }));
}

}  // namespace

Loop::Loop(const configs::Experiment& experiment, Sides& sides, const keep::RunDirectory& directory,
           keep::Journal& journal, History past, launch::Launcher& launcher, Progress& progress)
    : experiment_(experiment), sides_(sides), directory_(directory), journal_(journal), past_(std::move(past)),
      launcher_(launcher), progress_(progress), watch_(experiment),
      attempts_(launcher, experiment.metrics, past_.run_tag, past_.elapsed_s,
                [this](const RunningAttempt& running) {
                  record_.elapsed_s = attempts_.now_s();
                  note_running(record_, directory_, running, jury_ ? &jury_->first() : nullptr);
                  progress_.running(
                      [&](std::size_t columns, std::size_t rows) { return reports::live_lines(record_, columns, rows); },
                      [&] { return reports::heartbeat_line(record_); });
                  return is_certain(running.request, running.log.curve());
                }),
      trials_(attempts_, journal, directory,
              {.whole = [this](const TrialPlan& plan, std::span<const judge::Curve> curves) { return judge_whole(plan, curves); },
               .ended_early = [this](const judge::Curve& curve) { return judge_early(curve); }},
              [this](const TrialPlan& plan, const AttemptOutcome* outcome) { note(record_, directory_, plan, outcome); }),
      record_(new_record(experiment, directory, past_)) {}

const reports::Record& Loop::run() {
  try {
    find_answer();
    if (!past_.finished) {
      past_.elapsed_s = attempts_.now_s();  // from here on the run's time stands still, as it will when it is shown again
      record_.elapsed_s = past_.elapsed_s;
      journal_.append(finished_record(record_));
      past_.finished = true;
    }
  } catch (const Infrastructure& error) {
    record_.outcome = reports::Outcome::infrastructure;
    record_.advice = error.what();
    journal_.append(session_record(attempts_.now_s(), error.what()));
  } catch (...) {
    write_reports(true);
    throw;
  }
  write_reports(true);
  return record_;
}

void Loop::find_answer() {
  if (!check_sides()) return;
  measure_reference();
  if (!measure_subject()) return;
  climb_ladders();
  search();
  show_fix();
  describe_costs(record_);
  const neutralise::Recipe fix = conclude(record_, experiment_, catalogue_, {sides_.subject.environment, rungs_},
                                          effect_due_ - effect_seen_, directory_.workaround_files());
  if (fix.files.empty()) return;
  std::filesystem::create_directories(directory_.workaround_files());
  write_recipe_files(directory_.workaround_files(), fix);
}

void Loop::show_fix() {
  const reports::Trial* fix = reports::fix_trial(record_);
  if (record_.answer.state != strategies::State::proved || !fix || fix->attempts.empty()) return;
  // Read again: the fix may have been judged by an earlier bisectd, or long before it was known to be the fix.
  const auto folder = directory_.folder() / fix->attempts.back().folder;
  describe_subject(record_, jury_->first(), logged_curve(experiment_.subject, folder, experiment_.metrics), Shown::fix);
}

bool Loop::check_sides() {
  std::vector<std::string> differences = past_.differing_commands.value_or(std::vector<std::string>{});
  const bool any = std::ranges::any_of(experiment_.checks, [](const configs::Check& check) { return !check.command.empty(); });
  if (any && !past_.differing_commands) {
    try {
      differences = differing_commands(experiment_, sides_, launcher_, directory_.folder() / "checks", past_.run_tag + "/checks");
    } catch (const std::runtime_error& error) {
      throw Infrastructure(error.what());
    }
    journal_.append(checks_record(differences));
  }
  if (!differences.empty()) conclude_unequal(record_, differences);
  return differences.empty();
}

TrialPlan Loop::plan_for(Role role, const SuspectSet& neutralised, std::string reason) const {
  TrialPlan plan;
  plan.role = role;
  plan.neutralised = neutralised;
  plan.reason = std::move(reason);
  plan.side = role == Role::reference ? &sides_.reference : &sides_.subject;
  plan.steps = experiment_.steps;
  if (jury_) {
    plan.shortened = role == Role::search && jury_->has_horizon();
    plan.last_steps = jury_->last_steps(plan.shortened);
    if (!plan.steps) plan.steps = jury_->first().last_step();
  } else if (plan.steps) {
    plan.last_steps[experiment_.metrics.front().name] = *plan.steps;
  }
  if (role == Role::reference) {
    plan.attempts = experiment_.reference.repeats;
    plan.judged = false;
    plan.retry_crash = true;
    return plan;
  }
  plan.rungs = rungs_;
  plan.recipe = neutralise::recipe_for(experiment_, catalogue_, neutralised, sides_.subject.environment, rungs_);
  plan.watched = watch_.watched();
  plan.max_attempts = experiment_.accept.max_repeats;
  plan.retry_crash = role != Role::search;
  if (role == Role::discovery) {
    plan.judged = false;
    set_discovery(plan.recipe, experiment_, sides_.subject);
  }
  // Identical references say that the reference has no noise, not that the subject has none: let it repeat once.
  if (role == Role::as_is && jury_->first().distinct() == 1) {
    plan.attempts = 2;
    plan.max_attempts = std::max(2, plan.max_attempts);
  }
  if (role == Role::proof) {
    plan.attempts = jury_->likely_proof_attempts();
    plan.max_attempts = jury_->proof_attempts();
  }
  return plan;
}

void Loop::start_or_go_on(TrialPlan plan) {
  const auto past = std::ranges::find_if(past_.trials, [&](const PastTrial& trial) {
    return trial.role == plan.role && trial.neutralised == plan.neutralised && trial.rungs == plan.rungs;
  });
  if (past == past_.trials.end())
    trials_.start(std::move(plan));
  else
    trials_.go_on(std::move(plan), *past);
}

std::vector<FinishedTrial> Loop::wait() {
  std::vector<FinishedTrial> finished = trials_.wait();
  if (attempts_.signal_number() == 0) return finished;
  trials_.stop_all();
  journal_.append(session_record(attempts_.now_s(), ""));
  throw Interrupted{attempts_.signal_number()};
}

void Loop::measure_reference() {
  std::vector<judge::Curve> curves;
  if (experiment_.reference.curve) {
    curves = recorded_curves(experiment_);
  } else {
    progress_.line(reports::phase_line(record_, name_of(Role::reference)));
    start_or_go_on(plan_for(Role::reference, {}, "the trusted side"));
    for (const FinishedTrial& finished : wait()) {
      take_in(finished);
      curves = whole_curves(finished);
      if (const auto whole = std::ranges::find_if(finished.attempts, can_be_judged); whole != finished.attempts.end())
        reference_attempt_ = whole->folder;
      if (curves.empty())
        throw Infrastructure(fmt::format("the reference gave no curve: {} (see {})", finished.judgement.text,
                                         record_.trials.back().attempts.back().folder));
    }
  }
  std::vector<judge::MetricRule> metrics;
  for (const configs::Metric& metric : experiment_.metrics)
    if (!metric.is_watched()) metrics.push_back({.name = metric.name, .higher_is_better = metric.higher_is_better});
  auto jury = judge::Jury::seat(experiment_.accept, metrics, curves);
  if (!jury) throw Infrastructure(fmt::format("the reference cannot be used: {}. {}", jury.error().message, jury.error().hint));
  jury_ = std::move(*jury);
  describe_reference(record_, jury_->first());
}

bool Loop::is_certain(const AttemptRequest& request, const judge::Curve& so_far) {
  // Only the search may take a short cut: both ends and the certificate are always seen at full length.
  if (!jury_ || role_of(trial_of(record_, request.trial).role) != Role::search) return false;
  auto watch = watches_.try_emplace(request.folder.string(), jury_->watch()).first;
  return watch->second.look(so_far).has_value();
}

judge::Judgement Loop::judge_whole(const TrialPlan& plan, std::span<const judge::Curve> curves) const {
  if (plan.role == Role::proof) return jury_->judge_proof(curves);
  return plan.shortened ? jury_->judge_shortened(curves) : jury_->judge(curves);
}

judge::Judgement Loop::judge_early(const judge::Curve& curve) const {
  const auto certain = jury_->watch().look(curve);
  // What was learnt of the noise meanwhile can make it less certain again; then the attempt says nothing.
  return certain.value_or(judge::Judgement{.reason = "ended-early", .text = "ended early, but not certain any more"});
}

void Loop::warn_of_smoothing(const AttemptOutcome& attempt) {
  for (std::size_t i = 0; i < attempt.printed.size(); ++i) {
    const read::Printed& printed = attempt.printed[i];
    if (printed.smoothing_window.value_or(1) <= 1) continue;
    record_.warnings.push_back(fmt::format("{}: {}, here {}; spikes and single NaNs vanish in that: set it to 1",
                                           experiment_.metrics[i].name, printed.smoothing, *printed.smoothing_window));
    progress_.line("warning: " + record_.warnings.back());
  }
}

bool Loop::is_decidable() {
  std::string first_error;
  for (const judge::Finding& finding : jury_->findings()) {
    std::string text = finding.text;
    for (const std::string& option : finding.options) text += "; " + option;
    progress_.line((finding.error ? "error: " : "warning: ") + text);
    record_.warnings.push_back(text);
    if (finding.error && first_error.empty()) first_error = text;
  }
  if (!first_error.empty()) conclude_undecidable(record_, first_error);
  return first_error.empty();
}

void Loop::take_in(const FinishedTrial& finished) {
  settle(record_, finished);
  if (jury_) jury_->learn(finished.judgement);
  for (const AttemptOutcome& attempt : finished.attempts) watches_.erase(attempt.folder.string());
  progress_.line(reports::trial_line(record_, trial_of(record_, finished.plan.number)));
}

bool Loop::measure_subject() {
  const bool discover = !discovered_families(experiment_).empty();
  progress_.line(reports::phase_line(record_, name_of(Role::as_is)));
  start_or_go_on(plan_for(Role::as_is, {}, "nothing neutralised: this must fail"));
  if (discover) start_or_go_on(plan_for(Role::discovery, {}, "which members a run uses"));
  std::vector<FinishedTrial> first;
  while (trials_.any_open() || first.empty())
    for (FinishedTrial& finished : wait()) {
      take_in(finished);
      first.push_back(std::move(finished));
    }
  const FinishedTrial& as_is = *std::ranges::find(first, Role::as_is, [](const FinishedTrial& f) { return f.plan.role; });
  if (as_is.judgement.verdict == Verdict::unresolved)
    throw Infrastructure(fmt::format("the subject as it is gives no verdict: {} (see {})", as_is.judgement.text,
                                     record_.trials.at(as_is.plan.number - 1).attempts.back().folder));
  as_is_names_ = as_is.attempts.back().names;
  for (const auto& [metric, step] : jury_->last_steps(false))
    if (!as_is.attempts.back().curve.series.contains(metric))
      throw Infrastructure(fmt::format("the reference logs \"{}\", the subject does not (see {}): the metric's format or "
                                       "pattern must fit both", metric, as_is.attempts.back().folder.string()));
  jury_->learn_identical(identical_repeats(as_is));
  describe_subject(record_, jury_->first(), as_is.attempts.back().curve, Shown::as_is);
  record_.noise = as_is.judgement.noise;
  const auto differences = differing_logs(experiment_, reference_attempt_, as_is.attempts.back().folder);
  if (!differences.empty()) return conclude_unequal(record_, differences), false;
  warn_of_smoothing(as_is.attempts.back());
  if (!is_decidable()) return false;
  if (as_is.judgement.verdict == Verdict::pass) return conclude_aligned(record_, experiment_), false;
  if (as_is.judgement.verdict == Verdict::inconclusive) return conclude_undecidable(record_, as_is.judgement.text), false;
  list_suspects(first);
  return true;
}

neutralise::Discovered Loop::discovered_in(const FinishedTrial& discovery) const {
  const AttemptOutcome& attempt = discovery.attempts.back();
  if (!can_be_judged(attempt))
    throw Infrastructure(fmt::format("the discovery run failed: {} (see {})", attempt.text, attempt.folder.string()));
  const auto found = watch_.discovered(attempt.names);
  if (!found) throw Infrastructure(fmt::format("{} (see {})", found.error(), attempt.folder.string()));
  return *found;
}

void Loop::list_suspects(const std::vector<FinishedTrial>& first) {
  if (past_.catalogue) {
    catalogue_ = *past_.catalogue;
    exact_ = past_.exact;
  } else {
    neutralise::Discovered discovered;
    for (const FinishedTrial& finished : first)
      if (finished.plan.role == Role::discovery) discovered = discovered_in(finished);
    catalogue_ = neutralise::make_catalogue(experiment_, discovered,
                                            neutralise::always_off(experiment_, sides_.subject.environment));
    exact_ = jury_->deterministic();
    journal_.append(catalogue_record(catalogue_, exact_));
  }
  if (catalogue_.size() == 0)
    throw Infrastructure("there is no suspect: the discovery run showed no member of any family on the device");
  for (const neutralise::Member& member : catalogue_.members()) record_.suspects.push_back({member.family, member.name});
  refused_ = effect_due_ = effect_seen_ = SuspectSet(catalogue_.size());
  progress_.line(reports::phase_line(record_, name_of(Role::search)));

  inquiry_.emplace(problem_of(experiment_, catalogue_, sides_.subject.pool->size(), exact_),
                   engine_of(experiment_.search.engine));
  const auto as_is = std::ranges::find(first, Role::as_is, [](const FinishedTrial& f) { return f.plan.role; });
  learn(told_by(as_is->judgement, SuspectSet(catalogue_.size()), Role::as_is, false));
  // `additive` weighs how large a difference is, and at the horizon that is another size than at the end.
  const bool by_size = experiment_.search.engine == configs::EngineChoice::additive;
  if (!by_size && jury_->learn_horizon(whole_curves(*as_is).front()))
    progress_.line(fmt::format("a failure shows early: trials of the search end at step {} of {}, proofs do not",
                               jury_->last_steps(true).begin()->second, jury_->first().last_step()));
}

void Loop::search() {
  replay_search();
  record_.answer = inquiry_->answer();  // once: an answer to each of ten thousand old evidences would take minutes
  while (true) {
    const strategies::State state = inquiry_->answer().state;
    if (state == strategies::State::searching && !budget_spent()) ask();
    if (state == strategies::State::proved && !ask_for_proofs()) break;
    if (state != strategies::State::searching && state != strategies::State::proved) break;
    if (!trials_.any_open()) break;  // nothing to ask and nothing to wait for: the budget is spent
    for (const FinishedTrial& finished : wait()) take_in_search(finished);
    write_reports(false);
  }
  if (record_.answer.state == strategies::State::proved && !inquiry_->unproved().empty()) {
    record_.answer.state = strategies::State::stuck;
    record_.answer.explanation =
        "The search came to a culprit set, but runs at full length that should prove it did not: see the trials with "
        "the role proof. The noise may be too high, or a fault may show only late.";
  }
  if (inquiry_->answer().state == strategies::State::searching) record_.answer.explanation = inquiry_->so_far();
  // The answer can come while other devices still work on trials that it makes needless.
  trials_.stop_all();
  std::erase_if(record_.trials, [](const reports::Trial& trial) { return trial.running; });
}

void Loop::ask() {
  std::vector<SuspectSet> pending;
  for (const auto& [number, set] : pending_) pending.push_back(set);
  for (strategies::Trial& trial : inquiry_->ask(trials_.free_slots(sides_.subject), pending)) {
    pending_[trials_.next_number()] = trial.neutralised;
    trials_.start(plan_for(role_of(trial.purpose), trial.neutralised, catalogue_.with_labels(trial.reason)));
  }
}

/// Starts what is still needed to prove the answer; false when nothing is, or when proofs were tried in vain.
bool Loop::ask_for_proofs() {
  constexpr std::ptrdiff_t kTries = 2;
  bool waiting = false;
  for (const SuspectSet& set : inquiry_->unproved()) {
    const bool running = std::ranges::any_of(pending_, [&](const auto& trial) { return trial.second == set; });
    if (!running && inquiry_->proofs_of(set) >= kTries) continue;
    waiting = true;
    if (running || trials_.free_slots(sides_.subject) == 0) continue;
    pending_[trials_.next_number()] = set;
    trials_.start(plan_for(Role::proof, set, "a claim of the answer once more, at full length and without a grey zone"));
  }
  return waiting;
}

void Loop::replay_search() {
  for (const std::size_t index : past_.order_judged) {
    const PastTrial& past = past_.trials[index];
    if (!is_search(past.role)) continue;
    trials_.continue_numbers_after(past.number);
    restore(record_, directory_, past);
    jury_->learn(*past.judgement);
    learn(told_by(past));
    tell_refused(past.refused);
  }
  if (past_.catalogue) effect_seen_ |= past_.effect_seen;
  if (past_.finished) return;
  for (const PastTrial& past : past_.trials) {
    if (!is_search(past.role) || past.judgement) continue;
    pending_[past.number] = past.neutralised;
    TrialPlan plan = plan_for(past.role, past.neutralised, past.reason);
    plan.shortened = past.shortened;
    plan.last_steps = jury_->last_steps(plan.shortened);
    trials_.go_on(std::move(plan), past);
  }
}

void Loop::take_in_search(const FinishedTrial& finished) {
  pending_.erase(finished.plan.number);
  take_in(finished);
  for (const AttemptOutcome& attempt : finished.attempts) {
    const SuspectSet seen = watch_.shown_off(catalogue_, finished.plan.neutralised, as_is_names_,
                                             {attempt.names, can_be_judged(attempt)});
    if (seen.is_subset_of(effect_seen_)) continue;
    effect_seen_ |= seen;
    journal_.append(effect_record(effect_seen_));
  }
  const bool ended_early = finished.attempts.back().ending == Ending::ended_early;
  learn(told_by(finished.judgement, finished.plan.neutralised, finished.plan.role,
                finished.plan.shortened && !ended_early));
  if (finished.judgement.verdict == Verdict::unresolved) learn_refused(finished);
  record_.answer = inquiry_->answer();
}

/// The search need not look for a member that the log of a crash names.
void Loop::learn_refused(const FinishedTrial& finished) {
  std::vector<strategies::SuspectId> members;
  for (const AttemptOutcome& attempt : finished.attempts)
    for (const strategies::SuspectId id : watch_.refused(catalogue_, attempt.names))
      if (finished.plan.neutralised.test(id) && !refused_.test(id) && !std::ranges::count(members, id)) members.push_back(id);
  if (members.empty()) return;
  journal_.append(refused_record(finished.plan.number, members));
  tell_refused(members);
}

void Loop::tell_refused(const std::vector<strategies::SuspectId>& members) {
  for (const strategies::SuspectId id : members) {
    refused_.set(id);
    learn(told_of_refusal(id, catalogue_.size()));
  }
}

void Loop::learn(const Told& told) {
  if (told.evidence.verdict != Verdict::unresolved)
    effect_due_ |= told.evidence.neutralised & watch_.shows_effect(catalogue_);
  if (!inquiry_->learn(told)) return;
  progress_.line("a whole run contradicts shortened ones: the search goes on at full length");
  jury_->forget_horizon();
}

bool Loop::budget_spent() const {
  const configs::SearchSettings& settings = experiment_.search;
  const auto searched = std::ranges::count_if(record_.trials, [](const reports::Trial& trial) { return is_search(role_of(trial.role)); });
  return (settings.budget_trials && searched >= *settings.budget_trials) ||
         (settings.budget_hours && attempts_.now_s() >= *settings.budget_hours * 3600.0);
}

void Loop::write_reports(bool final) {
  record_.elapsed_s = past_.finished ? past_.elapsed_s : attempts_.now_s();
  if (!final && attempts_.now_s() < next_report_s_) return;
  const double began_s = attempts_.now_s();
  for (const std::string& problem : reports::write_reports(record_, directory_.folder())) progress_.line("warning: " + problem);
  const double took_s = attempts_.now_s() - began_s;
  next_report_s_ = began_s + std::max(kReportEvery_s, took_s / kReportShare);
}

}  // namespace bisectd::driver
