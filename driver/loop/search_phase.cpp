#include "driver/loop/search_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "driver/log/log.hpp"
#include "driver/loop/controls.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/problem.hpp"
#include "reports/result_lines.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {

using strategies::Neutralised;
using strategies::State;
using strategies::SuspectSet;
using strategies::Verdict;

namespace {

/// What the answer so far would need, at least the fix and the subject as it is, side by side where there are devices for
/// it, each as long as the longest run so far: one of the subject as it is may be a crash, or faster than one with operators
/// on the CPU.
double time_of_controls(const Run& run) {
  if (!run.experiment.search.budget_hours) return 0;  // nobody asks
  const auto devices = static_cast<int>(run.sides.subject.pool->size());
  int controls = 0;
  for (const Control& control : controls_of(run.state.answer, run.state.catalogue, false))
    controls += times_of(control, run.must_only_run());
  controls = std::max(2, controls);
  double longest_s = 0;
  for (const PastTrial& trial : run.state.history.trials)
    if (is(trial.role, reports::kEvidence))
      for (const PastAttempt& attempt : trial.attempts) longest_s = std::max(longest_s, attempt.duration_s);
  return static_cast<double>((controls + devices - 1) / devices) * longest_s;
}

/// The last step of a metric in a run that came to its end by itself.
std::optional<std::int64_t> end_of(const std::string& metric, const AttemptOutcome& attempt) {
  const auto last = attempt.last_steps.find(metric);
  return attempt.ending == Ending::finished && last != attempt.last_steps.end() ? last->second : std::nullopt;
}

}  // namespace

SearchPhase::SearchPhase(Run& run, const AsIs& as_is)
    : run_(run),
      as_is_names_(as_is.names),
      as_is_number_(as_is.trial.plan.number),
      as_is_run_(as_is.trial.attempts.front()),
      problem_(problem_of(run.experiment, run.state.catalogue, run.sides.subject.pool->size(), as_is.exact)),
      as_is_(judged_run(as_is.trial.judgement, Neutralised(SuspectSet(run.state.catalogue.size())), Role::as_is, false,
                        run.experiment.accept.target)),
      inquiry_(problem_, engine_of(run.experiment.search.engine), first_scope(run.experiment, run.state.catalogue)),
      refused_(run.state.catalogue.size()),
      effect_due_(refused_),
      effect_seen_(refused_) {
  run_.trials.before_judged([this](const FinishedTrial& finished) { journal_findings(finished); });
  log::info(reports::phase_line(run_.frame(), Role::search));
  learn(as_is_);
  if (run_.state.jury && run_.state.jury->learn_horizon(whole_curves(as_is.trial.attempts).front()))
    log::info(fmt::format("a failure shows early: trials of the search end at step {} of {}, proofs do not",
                          run_.state.jury->last_steps(true).begin()->second, run_.state.jury->first().last_step()));
}

void SearchPhase::run() {
  search_on();
  descend();
}

/// From what an earlier bisectd found out to the answer.
void SearchPhase::search_on() {
  const History& past = run_.state.past;
  go_on_with_past();
  while (run_.trials.any_finished())
    for (const FinishedTrial& finished : run_.wait()) take_in(finished);
  const bool is_concluded = run_.state.history.finished && among_parts_ == (past.descent && past.descent->stayed.empty());
  if (is_concluded && past.conclusion->answer.state == State::proved) {
    run_.state.answer = past.conclusion->answer;
    return;
  }
  begin_anew();  // once: an answer to each of ten thousand old evidences would take minutes
  search();
  if (run_.state.answer.state != State::proved && !preferred_in(run_.state.history, among_parts_).empty())
    return_to_prices();
  if (run_.state.answer.state != State::proved && before_other_fix_) run_.state.answer = *before_other_fix_;
}

/// An earlier bisectd ended while it proved a fix for its speed, and that cannot be proved.
void SearchPhase::return_to_prices() {
  give_up(run_.state.history.preferred);
  inquiry_.ask_anew(problem_);
  begin_anew();
  search();
}

void SearchPhase::begin_anew() {
  run_.state.answer = inquiry_.answer();
  run_.state.trials_left.begin(run_.state.answer, run_.state.history.order_judged.size());
}

void SearchPhase::give_up(std::vector<strategies::SuspectId> fix) {
  run_.journal.append(preferred_record({}));
  std::string text = fmt::format("{} neutralised is faster than the fix, but could not be proved to mend the subject",
                                 run_.state.catalogue.labels(run_.state.catalogue.set_of(fix), fix.size()));
  if (!std::ranges::count(run_.state.warnings, text)) run_.warn(std::move(text));  // it may be tried again
}

/// Searches among the parts of what was proved guilty, if the experiment asks for it.
void SearchPhase::descend() {
  const std::optional<PastDescent>& past = run_.state.past.descent;
  std::optional<PastDescent> descent = past;
  if (!past) descent = descent_after(run_.experiment, run_.state.catalogue, run_.state.answer);
  if (!descent || run_.state.answer.state != State::proved) return;
  if (!past) {
    descent->first_trial = run_.trials.next_number();
    if (descent->scope.empty()) {
      descent->stayed = why_no_parts(run_.state.catalogue, descent->opened);
      descent->end_trial = descent->first_trial;
    }
    run_.journal.append(descent_record(*descent));
  }
  run_.state.before_descent = run_.state.answer;
  if (descent->end_trial == 0) return search_parts(std::move(*descent));
  for (const std::size_t index : run_.state.past.order_judged) {  // it came to nothing, but it was there
    const PastTrial& trial = run_.state.past.trials[index];
    if (descent->has(trial.number)) searched_ += is(trial.role, reports::kInSearch);
  }
}

/// The answer becomes that of the second search only if that one is proved.
void SearchPhase::search_parts(PastDescent descent) {
  if (!descent.stayed.empty() && !run_.state.history.finished) {  // its budget was spent, and there is more now
    descent.stayed.clear();
    run_.journal.append(descent_record(descent));
  }
  log::info(reports::descent_line(run_.frame()));
  const strategies::Answer first = run_.state.answer;
  Inquiry before = std::move(inquiry_);
  inquiry_ = Inquiry(problem_, engine_of(run_.experiment.search.engine), descent.scope);
  among_parts_ = true;
  before_other_fix_.reset();
  learn(as_is_);
  search_on();
  const strategies::Answer second = run_.state.answer;
  if (second.state == State::proved) return;
  descent.stayed = run_.state.catalogue.with_labels(why_it_stayed(second));
  if (second.state != State::searching) descent.end_trial = run_.trials.next_number();
  inquiry_ = std::move(before);
  among_parts_ = false;
  run_.state.answer = first;
  if (!run_.state.history.finished) run_.journal.append(descent_record(descent));
}

bool SearchPhase::is_of_this_search(const PastTrial& trial) const {
  const auto& descent = run_.state.past.descent;
  return (descent && descent->has(trial.number)) == among_parts_;
}

void SearchPhase::prefer(const std::vector<strategies::SuspectId>& fix) {
  const strategies::Answer proved = run_.state.answer;
  run_.journal.append(preferred_record(fix));
  inquiry_.ask_anew(preferring(problem_, fix));
  begin_anew();
  search();
  if (run_.state.answer.state == State::proved) return;
  run_.state.answer = proved;
  give_up(fix);
}

void SearchPhase::search() {
  while (true) {
    const State state = inquiry_.answer().state;
    if (state == State::searching && !budget_spent()) ask();
    if (state == State::proved && !ask_for_proofs()) break;
    if (state != State::searching && state != State::proved) break;
    if (!run_.trials.any_open()) break;  // nothing to ask and nothing to wait for: the budget is spent
    hear_finished();
    run_.write_reports();
  }
  say_what_is_left();
  // The answer can come while other devices still work on trials that it makes needless.
  run_.stop_all("the search is over without it");
  pending_.clear();
}

void SearchPhase::hear_finished() {
  const strategies::Answer before = run_.state.answer;
  std::vector<ToldTrial> told;
  for (const FinishedTrial& finished : run_.wait()) {
    take_in(finished);
    told.push_back({finished.plan.number, finished.plan.neutralised, finished.judgement.verdict,
                    finished.plan.role != Role::signature});
  }
  run_.state.answer = inquiry_.answer();  // once for all that came together
  run_.state.trials_left.revise(before, run_.state.answer, run_.state.history.order_judged.size(), told);
}

/// Of an answer that is not proved.
void SearchPhase::say_what_is_left() {
  strategies::Answer answer = run_.state.answer;
  if (inquiry_.answer().state == State::searching) answer.explanation = inquiry_.so_far();
  if (answer.state == State::proved && !inquiry_.unproved().empty()) answer = not_carried(std::move(answer));
  run_.state.answer = std::move(answer);
}

/// Its proofs at full length did not show what they should.
strategies::Answer SearchPhase::not_carried(strategies::Answer answer) const {
  answer.state = State::stuck;
  answer.explanation =
      "The search came to a culprit set, but runs at full length that should prove it did not: see the trials with the role "
      "proof. The noise may be too high, or a fault may show only late.";
  answer.hidden = inquiry_.hidden_proof();
  if (!answer.hidden) return answer;
  answer.hindrance = strategies::Hindrance::noise;
  answer.explanation =
      "The search came to a culprit set, and the noise is in the way of its proof. " + text_of(*answer.hidden);
  return answer;
}

/// Nothing runs any more: gives the world time to come back, more every time. Throws Interrupted, and Infrastructure when it
/// does not come back.
void SearchPhase::sit_out() {
  if (run_.trials.any_open()) return;
  if (pauses_.enough())
    throw Infrastructure("nothing runs any more, not even the subject as it is, which ran before: see the last trials");
  if (!pauses_.any()) log::info("nothing runs any more, not even the subject as it is: it is tried again from time to time");
  run_.journal.sync();
  run_.launcher.wait(pauses_.next());
  run_.wait();  // nothing is open: only to hear a signal
}

void SearchPhase::ask() {
  if (inquiry_.answer().hindrance == strategies::Hindrance::outage) sit_out();
  else pauses_ = {};
  std::vector<Neutralised> pending;
  for (const auto& [number, set] : pending_) pending.push_back(set);
  for (strategies::Trial& trial : inquiry_.ask(run_.trials.free_slots(run_.sides.subject), pending))
    start(run_.plan_for(reports::role_of(trial.purpose), trial.neutralised, run_.state.catalogue.with_labels(trial.reason)));
}

void SearchPhase::start(TrialPlan plan) {
  pending_[run_.trials.next_number()] = plan.neutralised;
  searched_ += is(plan.role, reports::kInSearch);
  run_.start(std::move(plan));
}

/// Starts what is still needed to prove the answer; false when nothing is, or when proofs were tried in vain. What the noise
/// hides is tried as long as there is a budget.
bool SearchPhase::ask_for_proofs() {
  constexpr std::ptrdiff_t kTries = 2;
  const bool goes_on = problem_.budgeted && problem_.flip_probability != 0.0 && !budget_spent();
  bool waiting = false;
  for (const Neutralised& set : inquiry_.unproved()) {
    const bool running = std::ranges::any_of(pending_, [&](const auto& trial) { return trial.second == set; });
    if (!running && !goes_on && inquiry_.proofs_of(set) >= kTries) continue;
    waiting = true;
    if (running || run_.trials.free_slots(run_.sides.subject) == 0) continue;
    start(run_.plan_for(Role::proof, set, "a claim of the answer once more, at full length and without a grey zone"));
  }
  return waiting;
}

/// Tells what an earlier bisectd found out, in its order, and takes up what it left open.
void SearchPhase::go_on_with_past() {
  const History& past = run_.state.past;
  // The search may have asked for the subject as it is once more; those of before it knew of no suspects.
  const auto asked_again = [&](const PastTrial& trial) {
    return trial.role == Role::as_is && trial.number != as_is_number_ &&
           trial.neutralised.size() == problem_.suspects.size();
  };
  const auto is_ours = [&](const PastTrial& trial) {
    return is_of_this_search(trial) && (is(trial.role, reports::kInSearch) || asked_again(trial));
  };
  for (const std::size_t index : past.order_judged) {
    const PastTrial& trial = past.trials[index];
    if (trial.failed) continue;  // its session ended by it: it runs again
    if (!is_ours(trial) && (trial.role != Role::other_fix || !is_of_this_search(trial))) continue;
    if (trial.role == Role::other_fix && inquiry_.answer().state == State::proved) before_other_fix_ = inquiry_.answer();
    searched_ += is(trial.role, reports::kInSearch);
    if (run_.state.jury) run_.state.jury->learn(*trial.judgement);
    learn(judged_run(trial, run_.experiment.accept.target));
    tell_refused(trial.refused);
    // What signatures told is weighed by each look at the answer, and a search may give them up at one.
    if (trial.role == Role::signature) (void)inquiry_.answer();
  }
  if (const auto preferred = preferred_in(run_.state.history, among_parts_); !preferred.empty())
    inquiry_.ask_anew(preferring(problem_, preferred));
  if (past.catalogue) effect_seen_ |= past.effect_seen;
  if (run_.state.history.finished) return;
  const bool over = inquiry_.answer().state != State::searching;  // then only proofs are needed still
  for (const PastTrial& trial : past.trials) {
    if (!is_ours(trial) || (trial.judgement && !trial.failed) || (over && trial.role != Role::proof)) continue;
    if (past.descent && trial.number < past.descent->first_trial) continue;  // that search has its answer
    pending_[trial.number] = trial.neutralised;
    searched_ += is(trial.role, reports::kInSearch);
    TrialPlan plan = run_.plan_for(trial.role, trial.neutralised, trial.reason);
    if (run_.state.jury && trial.role != Role::signature) {
      plan.shortened = trial.shortened;
      plan.last_steps = run_.state.jury->last_steps(plan.shortened);
    }
    run_.trials.go_on(std::move(plan), trial);
  }
}

/// Logs of which no trial can be compared with the reference: numbered otherwise, of runs that went on from an earlier
/// attempt, or of fewer steps. What is repaired has no verdict then, and would be said to break when it is neutralised.
void SearchPhase::refuse_if_unlike(const FinishedTrial& finished) {
  const judge::Judgement& judgement = finished.judgement;
  const bool late = judgement.reason == "begins-late" && ++begun_late_ > 1;  // one log may have lost its first lines
  if (judgement.reason == "misnumbered" || late) throw Infrastructure(judgement.text, finished.plan.number);
  if (judgement.verdict != Verdict::unresolved || judgement.reason != "truncated") return;
  const auto end = end_of(judgement.metric, as_is_run_);
  const auto ends_there = [&](const AttemptOutcome& attempt) { return end_of(judgement.metric, attempt) == end; };
  if (!end || !std::ranges::all_of(finished.attempts, ends_there)) return;
  throw Infrastructure(
      fmt::format(
          "the subject ends before its reference does, so that no trial of it can pass: {} with {} neutralised, as it "
          "does with nothing neutralised. Let both sides train and log as many steps, or write `steps: {}`, and run "
          "with --new",
          judgement.text, reports::counted(strategies::members_of(finished.plan.neutralised).size(), "suspect"), *end),
      finished.plan.number);
}

void SearchPhase::take_in(const FinishedTrial& finished) {
  const TrialPlan& plan = finished.plan;
  pending_.erase(plan.number);
  refuse_if_unlike(finished);
  const bool ended_early = finished.attempts.back().ending == Ending::ended_early;
  learn(judged_run(finished.judgement, plan.neutralised, plan.role, plan.shortened && !ended_early,
                   run_.experiment.accept.target));
  tell_refused(refused_in(finished));
}

/// What a trial's runs show beside its verdict.
void SearchPhase::journal_findings(const FinishedTrial& finished) {
  if (!is(finished.plan.role, reports::kInSearch) && finished.plan.role != Role::as_is) return;
  for (const AttemptOutcome& attempt : finished.attempts) {
    const SuspectSet seen = run_.input.watch.shown_off(run_.state.catalogue, finished.plan.neutralised, as_is_names_,
                                                       {attempt.names, can_be_judged(attempt)});
    if (seen.is_subset_of(effect_seen_)) continue;
    effect_seen_ |= seen;
    run_.journal.write(effect_record(effect_seen_));
  }
  const auto members = refused_in(finished);
  if (members.empty()) return;
  std::map<std::string, std::string> reasons;
  for (const AttemptOutcome& attempt : finished.attempts) reasons.merge(run_.input.watch.reasons(attempt.names));
  std::vector<std::string> of_members;
  for (const strategies::SuspectId id : members) of_members.push_back(reasons[run_.state.catalogue.label(id)]);
  run_.journal.write(refused_record(finished.plan.number, members, of_members));
}

/// The search need not look for a member that the log of a crash names.
std::vector<strategies::SuspectId> SearchPhase::refused_in(const FinishedTrial& finished) const {
  std::vector<strategies::SuspectId> members;
  if (finished.judgement.verdict != Verdict::unresolved) return members;
  for (const AttemptOutcome& attempt : finished.attempts)
    for (const strategies::SuspectId id : run_.input.watch.refused(run_.state.catalogue, attempt.names))
      if (finished.plan.neutralised.test(id) && !refused_.test(id) && !std::ranges::count(members, id))
        members.push_back(id);
  return members;
}

void SearchPhase::tell_refused(const std::vector<strategies::SuspectId>& members) {
  for (const strategies::SuspectId id : members) {
    if (refused_.test_set(id)) continue;  // two trials that ended together can name the same one
    learn(refusal_of(id, run_.state.catalogue.size()));
  }
}

void SearchPhase::learn(const JudgedRun& told) {
  if (told.evidence.verdict != Verdict::unresolved)
    effect_due_ |= told.evidence.neutralised & run_.input.watch.shows_effect(run_.state.catalogue);
  if (!inquiry_.learn(told)) return;
  log::info("a whole run contradicts shortened ones: the search goes on at full length");
  run_.state.jury->forget_horizon();
}

bool SearchPhase::hear(const std::vector<FinishedTrial>& trials) {
  for (const FinishedTrial& finished : trials)
    learn(
        judged_run(finished.judgement, finished.plan.neutralised, finished.plan.role, false, run_.experiment.accept.target));
  if (trials.empty()) return false;
  const strategies::Answer before = run_.state.answer;
  begin_anew();  // it may know the cause already, without a further trial
  search();
  if (run_.state.answer.state != State::proved) run_.state.answer = before;
  return run_.state.answer.causes != before.causes;
}

bool SearchPhase::budget_spent(double kept_back_s) const {
  return driver::budget_spent(run_.experiment.search, searched_ + run_.state.further_discoveries,
                              run_.now_s() + kept_back_s);
}

bool SearchPhase::budget_spent() const { return budget_spent(time_of_controls(run_)); }

}  // namespace bisectd::driver
