#include "driver/loop/disagreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "driver/log/log.hpp"
#include "driver/loop/inquiry.hpp"
#include "reports/lookup.hpp"
#include "reports/progress.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using strategies::Answer;
using strategies::State;
using strategies::Verdict;

constexpr double kStandardErrors = 10;

/// The same set passed and failed. The subject as it is ran before the suspects were listed, so that its set has another
/// size.
bool has_passed_and_failed(const History& history) {
  std::set<std::vector<strategies::SuspectId>> passed, failed;
  for (const PastTrial& trial : history.trials) {
    if (!trial.judgement || !is_evidence(trial.role)) continue;
    if (trial.judgement->verdict == Verdict::pass) passed.insert(reports::members(trial.neutralised));
    if (trial.judgement->verdict == Verdict::fail) failed.insert(reports::members(trial.neutralised));
  }
  return std::ranges::any_of(passed, [&](const auto& set) { return failed.contains(set); });
}

bool is_whole(const PastTrial& trial) {
  return std::ranges::none_of(trial.attempts,
                              [](const PastAttempt& attempt) { return attempt.ending == Ending::ended_early; });
}

/// A trial whose size counts.
struct Sized {
  const PastTrial* trial;
  double difference, error;
};

std::optional<Sized> sized(const PastTrial& trial, double target) {
  if (!trial.judgement || !(is_evidence(trial.role) || trial.role == Role::control)) return std::nullopt;
  if (!strategies::decided(trial.judgement->verdict)) return std::nullopt;
  const strategies::Evidence told = judged_run(trial, target).evidence;
  if (!told.delta || !std::isfinite(*told.delta)) return std::nullopt;
  return Sized{&trial, *told.delta, told.standard_error.value_or(0)};
}

bool are_apart(const Sized& one, const Sized& other, double target) {
  if (one.trial->judgement->verdict == other.trial->judgement->verdict && !(is_whole(*one.trial) && is_whole(*other.trial)))
    return false;
  return std::abs(one.difference - other.difference) > std::max(target, kStandardErrors * std::max(one.error, other.error));
}

std::string device_of(const PastTrial& trial) {
  const std::string device = trial.attempts.empty() ? "" : trial.attempts.front().device;
  return device.empty() ? "" : " on " + device;
}

/// "Runs of one and the same set ended +10 % in trial 2 on npu 0 and +0.02 % in trial 9 on npu 1"
std::string sentence(const History& history, const Disagreement& found) {
  const PastTrial &before = history.numbered(found.before), &after = history.numbered(found.after);
  return fmt::format(
      "Runs of one and the same set ended {} in trial {}{} and {} in trial {}{}, which noise does not explain",
      reports::percent_text(*before.judgement->delta), before.number, device_of(before),
      reports::percent_text(*after.judgement->delta), after.number, device_of(after));
}

void doubt(Answer& answer, std::string why) {
  answer.state = State::stuck;
  answer.hindrance = strategies::Hindrance::change;
  answer.explanation = std::move(why);
}

}  // namespace

std::optional<Disagreement> disagreement(const History& history, double target) {
  std::map<std::vector<strategies::SuspectId>, std::vector<Sized>> by_set;
  for (const PastTrial& trial : history.trials) {
    const auto later = sized(trial, target);
    if (!later) continue;
    std::vector<Sized>& same = by_set[reports::members(trial.neutralised)];
    for (const Sized& earlier : same)
      if (are_apart(earlier, *later, target)) return Disagreement{earlier.trial->number, trial.number};
    same.push_back(*later);
  }
  return std::nullopt;
}

bool some_set_disagrees(const History& history, bool exact, double target) {
  return exact ? has_passed_and_failed(history) : disagreement(history, target).has_value();
}

void try_as_is_again(Run& run) {
  if (run.state.answer.state != State::outside_suspects) return;
  TrialPlan plan = run.plan_for(Role::control, strategies::Neutralised(run.state.catalogue.set_of({})),
                                "the subject as it is once more, at the end: it must fail");
  const bool begun = run.was_begun(plan);
  if (run.state.history.finished && !begun) return;  // by a bisectd that did without
  if (!begun && budget_spent(run.experiment.search, 0, run.now_s())) return;
  log::info(reports::phase_line(run.frame(), name_of(Role::control)));
  run.start_or_go_on(std::move(plan));
  for (const FinishedTrial& finished : run.wait_for_all())
    if (finished.judgement.verdict == Verdict::pass)
      doubt(run.state.answer,
            fmt::format("With everything neutralised it fails, but tried once more at the end of the run the subject as it "
                        "is passes (trial {}): something changed during the run, or what makes it fail comes and goes.",
                        finished.plan.number));
}

void doubt_disagreement(Run& run) {
  const auto found = disagreement(run.state.history, run.experiment.accept.target);
  if (!found) return;
  Answer& answer = run.state.answer;
  const std::string what = sentence(run.state.history, *found);
  if (answer.state == State::proved)
    return run.warn(what + ": what makes the subject fail comes and goes, a device computes wrongly, or something changed");
  if (answer.state != State::aligned && answer.state != State::outside_suspects) return;
  doubt(answer, what +
                    ": something changed during the run, a device computes wrongly, or what makes the subject fail comes "
                    "and goes. That as many trials passed or failed shows nothing then.");
}

}  // namespace bisectd::driver
