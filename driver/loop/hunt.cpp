#include "driver/loop/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/loop/problem.hpp"
#include "driver/record/record_keeping.hpp"
#include "reports/progress.hpp"

namespace bisectd::driver {

using strategies::State;
using strategies::SuspectSet;
using strategies::Verdict;

Hunt::Hunt(Night& night, const AsIs& as_is)
    : night_(night), as_is_names_(as_is.names), as_is_number_(as_is.trial.plan.number),
      problem_(problem_of(night.experiment, night.catalogue, night.sides.subject.pool->size(), as_is.exact)),
      inquiry_(preferring(problem_, night.past.preferred), engine_of(night.experiment.search.engine)),
      refused_(night.catalogue.size()), effect_due_(refused_), effect_seen_(refused_) {
  night_.trials.before_judged([this](const FinishedTrial& finished) { journal_findings(finished); });
  night_.progress.line(reports::phase_line(night_.record, name_of(Role::search)));
  learn(told_by(as_is.trial.judgement, SuspectSet(night_.catalogue.size()), Role::as_is, false));
  // `additive` weighs how large a difference is, and at the horizon that is another size than at the end.
  const bool by_size = night_.experiment.search.engine == configs::EngineChoice::additive;
  if (night_.jury && !by_size && night_.jury->learn_horizon(whole_curves(as_is.trial.attempts).front()))
    night_.progress.line(fmt::format("a failure shows early: trials of the search end at step {} of {}, proofs do not",
                                     night_.jury->last_steps(true).begin()->second, night_.jury->first().last_step()));
}

void Hunt::run() {
  go_on_with_past();
  while (night_.trials.any_finished())
    for (const FinishedTrial& finished : night_.wait()) take_in(finished);
  night_.record.answer = inquiry_.answer();  // once: an answer to each of ten thousand old evidences would take minutes
  search();
}

void Hunt::prefer(const std::vector<strategies::SuspectId>& fix) {
  const strategies::Answer proved = night_.record.answer;
  night_.journal.append(preferred_record(fix));
  inquiry_.ask_anew(preferring(problem_, fix));
  night_.record.answer = inquiry_.answer();
  search();
  if (night_.record.answer.state == State::proved) return;
  night_.journal.append(preferred_record({}));
  night_.record.answer = proved;
  night_.warn(fmt::format("{} neutralised is faster than the fix, but could not be proved to mend the subject",
                          night_.catalogue.labels(night_.catalogue.set_of(fix), fix.size())));
}

void Hunt::search() {
  while (true) {
    const State state = inquiry_.answer().state;
    if (state == State::searching && !budget_spent()) ask();
    if (state == State::proved && !ask_for_proofs()) break;
    if (state != State::searching && state != State::proved) break;
    if (!night_.trials.any_open()) break;  // nothing to ask and nothing to wait for: the budget is spent
    for (const FinishedTrial& finished : night_.wait()) take_in(finished);
    night_.write_reports(false);
  }
  say_what_is_left();
  // The answer can come while other devices still work on trials that it makes needless.
  night_.trials.stop_all();
  pending_.clear();
  std::erase_if(night_.record.trials, [](const reports::Trial& trial) { return trial.running; });
}

/// Of an answer that is not proved.
void Hunt::say_what_is_left() {
  strategies::Answer& answer = night_.record.answer;
  if (inquiry_.answer().state == State::searching) answer.explanation = inquiry_.so_far();
  if (answer.state != State::proved || inquiry_.unproved().empty()) return;
  answer.state = State::stuck;
  answer.explanation =
      "The search came to a culprit set, but runs at full length that should prove it did not: see the trials with the role "
      "proof. The noise may be too high, or a fault may show only late.";
  answer.hidden = inquiry_.hidden_proof();
  if (!answer.hidden) return;
  answer.hindrance = strategies::Hindrance::noise;
  answer.explanation = "The search came to a culprit set, and the noise is in the way of its proof. " + text_of(*answer.hidden);
}

/// Nothing runs any more: gives the world time to come back, more every time. Throws Interrupted, and Infrastructure when it
/// does not come back.
void Hunt::sit_out() {
  if (night_.trials.any_open()) return;
  constexpr std::chrono::seconds kLongestPause = std::chrono::minutes{10}, kLongestOutage = std::chrono::hours{6};
  if (paused_ >= kLongestOutage)
    throw Infrastructure("nothing runs any more, not even the subject as it is, which ran before: see the last trials");
  if (pause_.count() == 0)
    night_.progress.line("nothing runs any more, not even the subject as it is: it is tried again from time to time");
  pause_ = std::clamp(2 * pause_, std::chrono::seconds{1}, kLongestPause);
  paused_ += pause_;
  night_.launcher.wait(pause_);
  night_.wait();  // nothing is open: only to hear a signal
}

void Hunt::ask() {
  if (inquiry_.answer().hindrance == strategies::Hindrance::outage)
    sit_out();
  else
    pause_ = paused_ = std::chrono::seconds{0};
  std::vector<SuspectSet> pending;
  for (const auto& [number, set] : pending_) pending.push_back(set);
  for (strategies::Trial& trial : inquiry_.ask(night_.trials.free_slots(night_.sides.subject), pending)) {
    pending_[night_.trials.next_number()] = trial.neutralised;
    night_.trials.start(
        night_.plan_for(role_of(trial.purpose), trial.neutralised, night_.catalogue.with_labels(trial.reason)));
  }
}

/// Starts what is still needed to prove the answer; false when nothing is, or when proofs were tried in vain. What the noise
/// hides is tried as long as there is a budget.
bool Hunt::ask_for_proofs() {
  constexpr std::ptrdiff_t kTries = 2;
  const bool goes_on = problem_.budgeted && problem_.flip_probability != 0.0 && !budget_spent();
  bool waiting = false;
  for (const SuspectSet& set : inquiry_.unproved()) {
    const bool running = std::ranges::any_of(pending_, [&](const auto& trial) { return trial.second == set; });
    if (!running && !goes_on && inquiry_.proofs_of(set) >= kTries) continue;
    waiting = true;
    if (running || night_.trials.free_slots(night_.sides.subject) == 0) continue;
    pending_[night_.trials.next_number()] = set;
    night_.trials.start(
        night_.plan_for(Role::proof, set, "a claim of the answer once more, at full length and without a grey zone"));
  }
  return waiting;
}

/// Tells what an earlier bisectd found out, in its order, and takes up what it left open.
void Hunt::go_on_with_past() {
  const History& past = night_.past;
  const auto is_ours = [&](const PastTrial& trial) {  // the search may have asked for the subject as it is once more
    return is_search(trial.role) || (trial.role == Role::as_is && trial.number != as_is_number_);
  };
  for (const std::size_t index : past.order_judged) {
    const PastTrial& trial = past.trials[index];
    if (!is_ours(trial) && trial.role != Role::other_fix) continue;
    restore(night_.record, trial);
    if (night_.jury) night_.jury->learn(*trial.judgement);
    learn(told_by(trial));
    tell_refused(trial.refused);
  }
  if (past.catalogue) effect_seen_ |= past.effect_seen;
  if (past.finished) return;
  for (const PastTrial& trial : past.trials) {
    if (!is_ours(trial) || trial.judgement) continue;
    pending_[trial.number] = trial.neutralised;
    TrialPlan plan = night_.plan_for(trial.role, trial.neutralised, trial.reason);
    if (night_.jury && trial.role != Role::signature) {
      plan.shortened = trial.shortened;
      plan.last_steps = night_.jury->last_steps(plan.shortened);
    }
    night_.trials.go_on(std::move(plan), trial);
  }
}

void Hunt::take_in(const FinishedTrial& finished) {
  const TrialPlan& plan = finished.plan;
  pending_.erase(plan.number);
  const bool ended_early = finished.attempts.back().ending == Ending::ended_early;
  learn(told_by(finished.judgement, plan.neutralised, plan.role, plan.shortened && !ended_early));
  tell_refused(refused_in(finished));
  night_.record.answer = inquiry_.answer();
}

/// What a trial's runs show beside its verdict.
void Hunt::journal_findings(const FinishedTrial& finished) {
  if (!is_search(finished.plan.role) && finished.plan.role != Role::as_is) return;
  for (const AttemptOutcome& attempt : finished.attempts) {
    const SuspectSet seen = night_.watch.shown_off(night_.catalogue, finished.plan.neutralised, as_is_names_,
                                                   {attempt.names, can_be_judged(attempt)});
    if (seen.is_subset_of(effect_seen_)) continue;
    effect_seen_ |= seen;
    night_.journal.append(effect_record(effect_seen_));
  }
  if (const auto members = refused_in(finished); !members.empty())
    night_.journal.append(refused_record(finished.plan.number, members));
}

/// The search need not look for a member that the log of a crash names.
std::vector<strategies::SuspectId> Hunt::refused_in(const FinishedTrial& finished) const {
  std::vector<strategies::SuspectId> members;
  if (finished.judgement.verdict != Verdict::unresolved) return members;
  for (const AttemptOutcome& attempt : finished.attempts)
    for (const strategies::SuspectId id : night_.watch.refused(night_.catalogue, attempt.names))
      if (finished.plan.neutralised.test(id) && !refused_.test(id) && !std::ranges::count(members, id)) members.push_back(id);
  return members;
}

void Hunt::tell_refused(const std::vector<strategies::SuspectId>& members) {
  for (const strategies::SuspectId id : members) {
    if (refused_.test_set(id)) continue;  // two trials that ended together can name the same one
    learn(told_of_refusal(id, night_.catalogue.size()));
  }
}

void Hunt::learn(const Told& told) {
  if (told.evidence.verdict != Verdict::unresolved)
    effect_due_ |= told.evidence.neutralised & night_.watch.shows_effect(night_.catalogue);
  if (!inquiry_.learn(told)) return;
  night_.progress.line("a whole run contradicts shortened ones: the search goes on at full length");
  night_.jury->forget_horizon();
}

bool Hunt::hear(const std::vector<FinishedTrial>& trials) {
  for (const FinishedTrial& finished : trials)
    learn(told_by(finished.judgement, finished.plan.neutralised, finished.plan.role, false));
  if (trials.empty()) return false;
  const strategies::Answer before = night_.record.answer;
  night_.record.answer = inquiry_.answer();  // it may know the cause already, without a further trial
  search();
  if (night_.record.answer.state != State::proved) night_.record.answer = before;
  return night_.record.answer.causes != before.causes;
}

bool Hunt::budget_spent() const {
  const configs::SearchSettings& settings = night_.experiment.search;
  const auto searched = std::ranges::count_if(
      night_.record.trials, [](const reports::Trial& trial) { return is_search(role_of(trial.role)); });
  return (settings.budget_trials && searched >= *settings.budget_trials) ||
         (settings.budget_hours && night_.now_s() >= *settings.budget_hours * 3600.0);
}

}  // namespace bisectd::driver
