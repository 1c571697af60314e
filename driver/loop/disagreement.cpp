#include "driver/loop/disagreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "driver/loop/conclusion.hpp"
#include "driver/loop/inquiry.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using strategies::State;
using strategies::Verdict;

constexpr double kStandardErrors = 10;

/// The same set passed and failed.
bool has_passed_and_failed(const History& history) {
  std::set<strategies::SuspectSet> passed, failed;
  for (const PastTrial& trial : history.trials) {
    if (!trial.judgement || !is(trial.role, reports::kEvidence)) continue;
    if (trial.judgement->verdict == Verdict::pass) passed.insert(trial.neutralised);
    if (trial.judgement->verdict == Verdict::fail) failed.insert(trial.neutralised);
  }
  return std::ranges::any_of(passed, [&](const auto& set) { return failed.contains(set); });
}

bool ran_to_its_end(const PastTrial& trial) {
  return std::ranges::none_of(trial.attempts, [](const Attempt& attempt) { return attempt.ending == Ending::ended_early; });
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
  if (!trial.judgement || !(is(trial.role, reports::kEvidence) || trial.role == Role::control)) return std::nullopt;
  // What noise hides is near the target, and its size is as good as others; other undecided ones are of a part of the run.
  if (!strategies::decided(trial.judgement->verdict) && trial.judgement->reason != "noise") return std::nullopt;
  const strategies::Evidence told = judged_run(trial, target).evidence;
  if (!told.delta || !std::isfinite(*told.delta)) return std::nullopt;
  return Sized{&trial, *told.delta, told.standard_error};
}

bool are_apart(const Sized& one, const Sized& other, double target, double noise) {
  if (one.trial->judgement->verdict == other.trial->judgement->verdict &&
      !(ran_to_its_end(*one.trial) && ran_to_its_end(*other.trial)))
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

std::vector<Disagreement> disagreements_of(const Run& run) {
  const double noise = run.state.jury ? run.state.jury->first_panel().noise() : HUGE_VAL;
  return disagreements(run.state.history, run.experiment.accept.target, noise);
}

}  // namespace

std::vector<Disagreement> disagreements(const History& history, double target, double noise_of_references) {
  const double noise = std::min(noise_of_references, run_noise(history));
  std::map<strategies::SuspectSet, std::vector<Sized>> by_set;
  std::vector<Disagreement> found;
  for (const PastTrial& trial : history.trials) {
    const auto later = sized(trial, target);
    if (!later) continue;
    std::vector<Sized>& same = by_set[trial.neutralised];
    for (const Sized& earlier : same)
      if (are_apart(earlier, *later, target, noise)) found.push_back({earlier.trial->number, trial.number});
    same.push_back(*later);
  }
  return found;
}

bool some_set_disagrees(const Run& run) {
  return run.state.exact ? has_passed_and_failed(run.state.history) : !disagreements_of(run).empty();
}

void doubt_disagreement(Run& run) {
  const std::vector<Disagreement> found = disagreements_of(run);
  if (found.empty()) return;
  strategies::Answer& answer = run.state.answer;
  const auto rests_on = [&](const Disagreement& one) {
    const PastTrial &before = run.state.history.numbered(one.before), &after = run.state.history.numbered(one.after);
    if (before.judgement->verdict == after.judgement->verdict) return false;
    return std::ranges::count(answer.certificate, before.neutralised, &strategies::Claim::neutralised) > 0;
  };
  const bool proved = answer.state == State::proved;
  const auto told = proved ? std::ranges::find_if(found, rests_on) : found.begin();
  if (told == found.end())
    return run.warn(sentence(run.state.history, found.front()) +
                    ": what makes the subject fail comes and goes, a device computes wrongly, or something changed");
  if (!proved && answer.state != State::aligned && answer.state != State::outside_suspects) return;
  take_back(
      answer, strategies::Hindrance::change,
      sentence(run.state.history, *told) +
          ": something changed during the run, a device computes wrongly, or what makes the subject fail comes and goes. "
          "How many trials passed and failed shows nothing then.");
}

}  // namespace bisectd::driver
