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
#include "strategies/hidden.hpp"

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

/// By how much runs of one and the same set differ in one trial, standard deviation: by a quarter of the trials, as many of
/// them may have had a run on a sick device. Infinite if no trial says it.
double run_noise(const History& history) {
  constexpr double kQuartile = 0.1015;  // of chi squared with one degree of freedom
  std::vector<double> variances;
  for (const PastTrial& trial : history.trials) {
    if (!trial.judgement || trial.role == Role::reference) continue;
    const auto spread = trial.judgement->spreads.find(trial.judgement->metric);
    if (spread == trial.judgement->spreads.end() || spread->second.dof < 1) continue;
    variances.push_back(spread->second.last / spread->second.dof);
  }
  if (variances.empty()) return HUGE_VAL;
  const auto quarter = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 4);
  std::ranges::nth_element(variances, quarter);
  return std::sqrt(*quarter / kQuartile);
}

/// A trial whose size counts.
struct Sized {
  const PastTrial* trial;
  double difference;
  std::optional<double> error;  ///< standard error, where the judge said one
};

std::optional<Sized> sized(const PastTrial& trial, double target) {
  if (!trial.judgement || !(is_evidence(trial.role) || trial.role == Role::control)) return std::nullopt;
  if (!strategies::decided(trial.judgement->verdict)) return std::nullopt;
  const strategies::Evidence told = judged_run(trial, target).evidence;
  if (!told.delta || !std::isfinite(*told.delta)) return std::nullopt;
  return Sized{&trial, *told.delta, told.standard_error};
}

bool are_apart(const Sized& one, const Sized& other, double target, double noise) {
  if (one.trial->judgement->verdict == other.trial->judgement->verdict && !(is_whole(*one.trial) && is_whole(*other.trial)))
    return false;
  const bool known = one.error || other.error;
  const double error = known ? std::min(noise, std::max(one.error.value_or(0), other.error.value_or(0))) : noise;
  return std::abs(one.difference - other.difference) > std::max(target, kStandardErrors * error);
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

std::vector<Disagreement> disagreements(const History& history, double target, double noise_of_references) {
  const double noise = std::min(noise_of_references, run_noise(history));
  std::map<std::vector<strategies::SuspectId>, std::vector<Sized>> by_set;
  std::vector<Disagreement> found;
  for (const PastTrial& trial : history.trials) {
    const auto later = sized(trial, target);
    if (!later) continue;
    std::vector<Sized>& same = by_set[reports::members(trial.neutralised)];
    for (const Sized& earlier : same)
      if (are_apart(earlier, *later, target, noise)) found.push_back({earlier.trial->number, trial.number});
    same.push_back(*later);
  }
  return found;
}

std::vector<Disagreement> all_disagreements(const Run& run) {
  const double noise = run.state.jury ? run.state.jury->first_panel().noise() : HUGE_VAL;
  return disagreements(run.state.history, run.experiment.accept.target, noise);
}

bool some_set_disagrees(const Run& run, bool exact) {
  return exact ? has_passed_and_failed(run.state.history) : !all_disagreements(run).empty();
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
  const std::vector<Disagreement> found = all_disagreements(run);
  if (found.empty()) return;
  Answer& answer = run.state.answer;
  const auto rests_on = [&](const Disagreement& one) {
    const PastTrial &before = run.state.history.numbered(one.before), &after = run.state.history.numbered(one.after);
    if (before.judgement->verdict == after.judgement->verdict) return false;
    const auto set = reports::members(before.neutralised);
    return std::ranges::any_of(answer.certificate,
                               [&](const strategies::Claim& claim) { return reports::members(claim.neutralised) == set; });
  };
  const bool proved = answer.state == State::proved;
  const auto told = proved ? std::ranges::find_if(found, rests_on) : found.begin();
  if (told == found.end())
    return run.warn(sentence(run.state.history, found.front()) +
                    ": what makes the subject fail comes and goes, a device computes wrongly, or something changed");
  if (!proved && answer.state != State::aligned && answer.state != State::outside_suspects) return;
  std::string why =
      sentence(run.state.history, *told) +
      ": something changed during the run, a device computes wrongly, or what makes the subject fail comes and "
      "goes. That as many trials passed or failed shows nothing then.";
  if (proved)
    why = fmt::format("The search came to {} as the culprit set. {}", strategies::list_of(answer.culprit_set, " and "), why);
  doubt(answer, std::move(why));
}

}  // namespace bisectd::driver
