#include "driver/loop/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "driver/loop/conclusion.hpp"
#include "driver/loop/inquiry.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

using strategies::State;
using strategies::Verdict;

/// Its set is compared with the same in other trials.
bool is_comparable(const PastTrial& trial) {
  return trial.judgement && (is(trial.role, reports::kEvidence) || trial.role == Role::control);
}

constexpr std::size_t kSets = 4;
constexpr double kApart = 5;             // times what runs on one device are apart; see device_effect_in
constexpr std::size_t kAskedAtMost = 8;  // devices, or jobs at a time, which may be hundreds; a choice

/// Differences of one set on one device.
struct Seen {
  double least = HUGE_VAL, most = -HUGE_VAL;
  std::size_t count = 0;
  std::size_t trial = 0;  ///< number of the last one

  void take(double delta) {
    least = std::min(least, delta);
    most = std::max(most, delta);
    ++count;
  }
  double middle() const { return (least + most) / 2; }
  double width() const { return most - least; }
};

using SeenBySet = std::map<strategies::SuspectSet, Seen>;

/// By device. Trials whose attempts ran on several tell nothing about one.
std::map<std::string, SeenBySet> seen_by_device(const History& history) {
  std::map<std::string, SeenBySet> devices;
  for (const PastTrial& trial : history.trials) {
    if (!is_comparable(trial) || !trial.judgement->delta || !std::isfinite(*trial.judgement->delta)) continue;
    if (trial.attempts.empty() || trial.attempts.front().device.empty()) continue;
    const std::string& device = trial.attempts.front().device;
    if (!std::ranges::all_of(trial.attempts, [&](const Attempt& attempt) { return attempt.device == device; })) continue;
    Seen& seen = devices[device][trial.neutralised];
    seen.take(*trial.judgement->delta);
    seen.trial = trial.number;
  }
  return devices;
}

/// How much further off one device ends than another.
struct Gap {
  double least = HUGE_VAL;  ///< of all sets that both ran
  std::size_t sets = 0;
  std::size_t trial = 0, other_trial = 0;  ///< of one of these sets
  bool agrees_with_itself = true;
};

Gap gap_between(const SeenBySet& device, const SeenBySet& other, double target) {
  Gap gap;
  for (const auto& [set, seen] : device) {
    const auto there = other.find(set);
    if (there == other.end()) continue;
    ++gap.sets;
    gap.least = std::min(gap.least, seen.middle() - there->second.middle());
    gap.trial = seen.trial;
    gap.other_trial = there->second.trial;
    const double widest = std::max(seen.width(), there->second.width());
    gap.agrees_with_itself = gap.agrees_with_itself && widest < target;
  }
  return gap;
}

std::vector<RunOnDevice> runs_on_devices(const judge::Jury& jury, const FinishedTrial& finished) {
  std::vector<RunOnDevice> runs;
  for (const AttemptOutcome& attempt : finished.attempts) {
    if (!can_be_judged(attempt) || attempt.device.empty()) continue;
    const judge::Judgement judgement = jury.judge(std::span(&attempt.curve, 1));
    if (judgement.delta && std::isfinite(*judgement.delta)) runs.push_back({attempt.device, *judgement.delta});
  }
  return runs;
}

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
  if (!is_comparable(trial)) return std::nullopt;
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

void doubt_devices(Run& run) {
  const auto effect = device_effect(run.state.history, run.experiment.accept.target);
  if (!effect) return;
  strategies::Answer& answer = run.state.answer;
  if (answer.state == State::proved) return run.warn(*effect + ": one of them computes wrongly");
  take_back(answer, strategies::Hindrance::devices, *effect + ", so that what a trial shows depends on where it ran.");
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

}  // namespace

std::optional<std::string> device_effect_in(std::span<const RunOnDevice> runs, std::size_t each, double target) {
  std::map<std::string, Seen> devices;
  for (const RunOnDevice& run : runs) devices[run.device].take(run.delta);
  for (const auto& [device, seen] : devices)
    for (const auto& [other, there] : devices) {
      const double gap = seen.least - there.most;
      if (seen.count < each || there.count < each || gap <= target) continue;
      if (gap <= kApart * std::max(seen.width(), there.width())) continue;
      return fmt::format("runs of the subject as it is end at least {} higher on {} than on {}",
                         reports::unsigned_percent_text(gap), device, other);
    }
  return std::nullopt;
}

std::optional<std::string> differing_devices(Run& run, const FinishedTrial& subject) {
  const double target = run.experiment.accept.target;
  std::vector<RunOnDevice> runs = runs_on_devices(*run.state.jury, subject);
  if (!device_effect_in(runs, 1, target)) return std::nullopt;
  TrialPlan plan = run.plan_for(Role::as_is, {}, "runs on different devices end differently: is it the devices?");
  plan.attempts = plan.max_attempts = 2 * static_cast<int>(std::min(run.sides.subject.pool->size(), kAskedAtMost));
  for (const FinishedTrial& finished : run.run_all(std::move(plan)))
    for (RunOnDevice& more : runs_on_devices(*run.state.jury, finished)) runs.push_back(std::move(more));
  return device_effect_in(runs, 2, target);
}

std::optional<std::string> device_effect(const History& history, double target) {
  const auto devices = seen_by_device(history);
  for (const auto& [device, seen] : devices)
    for (const auto& [other, seen_there] : devices) {
      const Gap gap = gap_between(seen, seen_there, target);
      if (device == other || gap.sets < kSets || gap.least <= target || !gap.agrees_with_itself) continue;
      return fmt::format(
          "Runs of one and the same set end at least {} higher on {} than on {} ({} sets, such as that of trials {} and {})",
          reports::unsigned_percent_text(gap.least), device, other, gap.sets, gap.trial, gap.other_trial);
    }
  return std::nullopt;
}

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

void doubt_answer(Run& run) {
  doubt_devices(run);
  doubt_disagreement(run);
}

}  // namespace bisectd::driver
