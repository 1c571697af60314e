#include "driver/loop/device_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "driver/loop/conclusion.hpp"
#include "reports/words.hpp"

namespace bisectd::driver {
namespace {

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
    if (!trial.judgement || !trial.judgement->delta || !std::isfinite(*trial.judgement->delta)) continue;
    if (!is(trial.role, reports::kEvidence) && trial.role != Role::control) continue;
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

void doubt_devices(Run& run) {
  const auto effect = device_effect(run.state.history, run.experiment.accept.target);
  if (!effect) return;
  strategies::Answer& answer = run.state.answer;
  if (answer.state == strategies::State::proved) return run.warn(*effect + ": one of them computes wrongly");
  take_back(answer, strategies::Hindrance::devices, *effect + ", so that what a trial shows depends on where it ran.");
}

}  // namespace bisectd::driver
