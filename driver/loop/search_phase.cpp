#include "driver/loop/search_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/log/log.hpp"
#include "driver/loop/controls.hpp"
#include "driver/loop/findings.hpp"
#include "driver/loop/problem.hpp"
#include "reports/result_lines.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {

using strategies::Neutralised;
using strategies::State;
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
      for (const Attempt& attempt : trial.attempts) longest_s = std::max(longest_s, attempt.duration_s);
  return static_cast<double>((controls + devices - 1) / devices) * longest_s;
}

/// The last step of a metric in a run that came to its end by itself.
std::optional<std::int64_t> end_of(const std::string& metric, const AttemptOutcome& attempt) {
  const auto last = attempt.last_steps.find(metric);
  return attempt.ending == Ending::finished && last != attempt.last_steps.end() ? last->second : std::nullopt;
}

}  // namespace

SearchPhase::SearchPhase(Run& run, const FinishedTrial& as_is, int number, Scope scope)
    : run_(run),
      as_is_(as_is),
      number_(number),
      problem_(problem_of(run.experiment, run.state.catalogue, run.sides.subject.pool->size(), run.state.exact)),
      inquiry_(problem_, engine_of(run.experiment.search.engine), std::move(scope)) {
  PastTrial told = run.state.history.numbered(as_is.plan.number);
  told.judgement = as_is.judgement;  // another one where a contrast judges
  inquiry_.learn(judged_run(told, run.experiment.accept.target));
  go_on_with_past();
}

bool SearchPhase::goes_on() const { return inquiry_.answer().state == State::searching && !budget_spent(); }

void SearchPhase::search() {
  run_.state.answer = inquiry_.answer();  // once: an answer to each of ten thousand old evidences would take minutes
  run_.state.trials_left.begin(run_.state.answer, run_.state.history.order_judged.size());
  while (true) {
    const State state = inquiry_.answer().state;
    if (state == State::searching && !budget_spent()) ask();
    if (state == State::proved && !ask_for_proofs()) break;
    if (state != State::searching && state != State::proved) break;
    if (!run_.trials.any_open()) break;  // nothing to ask and nothing to wait for: the budget is spent
    hear_finished();
    run_.write_reports();
  }
  run_.state.answer = last_answer();
  // The answer can come while other devices still work on trials that it makes needless.
  run_.stop_all("the search is over without it");
  pending_.clear();
}

bool SearchPhase::hear(const std::vector<FinishedTrial>& trials) {
  if (trials.empty()) return false;
  const auto before = run_.state.answer.causes;
  for (const FinishedTrial& finished : trials) take_in(finished);
  search();  // it may know the cause already, without a further trial
  return run_.state.answer.causes != before;
}

bool SearchPhase::choose(const std::vector<strategies::SuspectId>& fix) {
  const strategies::Answer before = run_.state.answer;
  inquiry_.choose(fix);
  search();
  if (run_.state.answer.state != State::proved) run_.state.answer = before;
  if (run_.state.answer.culprit_set == fix) return true;
  inquiry_.choose({});
  if (run_.state.answer.causes != before.causes) return true;  // its proof showed a further one
  run_.warn(fmt::format("{} neutralised is faster than the fix, but could not be proved to mend the subject",
                        run_.state.catalogue.labels(run_.state.catalogue.set_of(fix), fix.size())));
  return false;
}

void SearchPhase::hear_finished() {
  const strategies::Answer before = run_.state.answer;
  std::vector<const PastTrial*> told;
  for (const FinishedTrial& finished : run_.wait()) {
    take_in(finished);
    told.push_back(&run_.state.history.numbered(finished.plan.number));
  }
  run_.state.answer = inquiry_.answer();  // once for all that came together
  run_.state.trials_left.revise(before, run_.state.answer, run_.state.history.order_judged.size(), told);
}

/// When nothing is asked any more: with what is left to be said of one that is not proved.
strategies::Answer SearchPhase::last_answer() const {
  strategies::Answer answer = inquiry_.answer();
  if (answer.state == State::searching) answer.explanation = inquiry_.so_far();
  if (answer.state == State::proved && !inquiry_.unproved().empty()) answer = not_carried(std::move(answer));
  if (answer.state != State::proved && inquiry_.before_other_fix()) answer = *inquiry_.before_other_fix();
  return answer;
}

/// Its proofs did not show what they should.
strategies::Answer SearchPhase::not_carried(strategies::Answer answer) const {
  answer.state = State::stuck;
  answer.explanation =
      "The search came to a culprit set, but runs that should prove it did not: see the trials with the role "
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
  plan.search = number_;
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
    start(run_.plan_for(Role::proof, set, "a claim of the answer once more, without a grey zone"));
  }
  return waiting;
}

void SearchPhase::go_on_with_past() {
  const History& history = run_.state.history;
  for (const std::size_t index : history.order_judged)
    if (const PastTrial& trial = history.trials[index]; run_.state.jury && trial.search == number_ && !trial.failed)
      run_.state.jury->learn(*trial.judgement);
  inquiry_.retell(history, number_, run_.experiment.accept.target);
  if (run_.state.history.finished) return;
  const bool over = inquiry_.answer().state != State::searching;  // then only proofs are needed still
  for (const PastTrial& trial : history.trials) {
    if (trial.search != number_ || (trial.judgement && !trial.failed)) continue;
    if (trial.role == Role::other_fix || (over && trial.role != Role::proof)) continue;
    if (history.descent && trial.number < history.descent->first_trial) continue;  // that search has its answer
    pending_[trial.number] = trial.neutralised;
    TrialPlan plan = run_.plan_for(trial.role, trial.neutralised, trial.reason);
    plan.search = number_;
    run_.trials.go_on(std::move(plan), trial);
  }
  while (run_.trials.any_finished())
    for (const FinishedTrial& finished : run_.wait()) take_in(finished);
}

/// Logs of which no trial can be compared with the reference: numbered otherwise, of runs that went on from an earlier
/// attempt, or of fewer steps. What is repaired has no verdict then, and would be said to break when it is neutralised.
void SearchPhase::refuse_if_unlike(const FinishedTrial& finished) {
  const judge::Judgement& judgement = finished.judgement;
  const auto begins_late = [](const PastTrial& trial) {
    return trial.search != 0 && trial.judgement && !trial.failed && trial.judgement->reason == "begins-late";
  };
  const bool late = judgement.reason == "begins-late" &&  // one log may have lost its first lines
                    std::ranges::count_if(run_.state.history.trials, begins_late) > 1;
  if (judgement.reason == "misnumbered" || late) throw Infrastructure(judgement.text, finished.plan.number);
  if (judgement.verdict != Verdict::unresolved || judgement.reason != "truncated") return;
  const auto end = end_of(judgement.metric, as_is_.attempts.front());
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
  pending_.erase(finished.plan.number);
  refuse_if_unlike(finished);
  const PastTrial& told = run_.state.history.numbered(finished.plan.number);
  inquiry_.learn(judged_run(told, run_.experiment.accept.target));
  inquiry_.learn_refused(refused_in(run_, finished));
}

bool SearchPhase::budget_spent() const { return run_.trials_spent() || run_.hours_spent(time_of_controls(run_)); }

}  // namespace bisectd::driver
