#include "driver/judge/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "driver/judge/level.hpp"
#include "driver/judge/watched.hpp"

namespace bisectd::driver::judge {

namespace {

/// Single steps far off, which a mean hides. With these limits, of runs of 1,000 steps some of which jump by 25 % (their
/// mean by 1 %; bench_verdict, "spiky") 2 instead of 35 in 100 are undecided at a noise of 0.3 %.
constexpr double kSpike = 0.05, kSpikeTargets = 2, kSpikeSigmas = 6;
constexpr std::size_t kSpikes = 3;      ///< that a healthy run may have, or so many times those of the worst reference
constexpr int kRunsThatShowSpikes = 3;  ///< references
constexpr double kMadToSigma = 1.4826;

struct Spikes {
  std::size_t count = 0;
  std::optional<std::size_t> first;  ///< index of the first one
};

/// Values further from the middle one than all limits, in short stretches: where many follow each other it is a level.
Spikes spikes_in(const Reference& reference, std::span<const double> values) {
  std::vector<double> sizes(values.begin(), values.end());
  if (sizes.empty()) return {};
  const double middle = quantile(sizes, 0.5);
  for (double& size : sizes) size = std::abs(size - middle);
  const double sigma = kMadToSigma * quantile(std::vector<double>(sizes), 0.5);
  const double limit = std::max({kSpike, kSpikeTargets * reference.accept.target, kSpikeSigmas * sigma});
  const std::size_t longest = std::max<std::size_t>(5, values.size() / 20);
  Spikes spikes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t end = i;
    while (end < values.size() && badness(reference, values[end] - middle) > limit) ++end;
    if (end > i && end - i < longest) {
      spikes.count += end - i;
      if (!spikes.first) spikes.first = i;
    }
    i = std::max(i, end);
  }
  return spikes;
}

void spikes(const Reference& reference, const Difference& difference, std::vector<Event>& events) {
  // Rounding that has grown makes steps far off as well: of healthy devices on chaotic trainings one in twenty would fail.
  if (reference.metric.higher_is_better || reference.cause != Cause::chance || reference.distinct() < kRunsThatShowSpikes)
    return;
  std::size_t worst = 0;
  for (const auto& run : reference.residuals) worst = std::max(worst, spikes_in(reference, run).count);
  const Spikes found = spikes_in(reference, difference.values);
  if (found.count <= kSpikes * std::max<std::size_t>(worst, 1)) return;
  events.push_back(
      {.code = "spikes",
       .fails = true,
       .text = fmt::format("{} steps are far off, in short stretches (worst reference: {})", found.count, worst),
       .step = reference.steps[difference.places[*found.first]]});
}

}  // namespace

std::vector<Event> events_of(const Reference& reference, const Curve& curve, const Difference& difference,
                             AttemptStage stage) {
  std::vector<Event> events;
  if (auto nan = non_finite_event(reference, difference.track, stage)) events.push_back(*std::move(nan));
  if (stage == AttemptStage::over) spikes(reference, difference, events);  // a level that begins looks like one
  loss_scale(reference, curve, events);
  grad_norm(reference, curve, events);
  std::ranges::stable_partition(events, [](const Event& event) { return event.fails; });
  return events;
}

namespace {

constexpr std::size_t kConsecutive = 3, kIsolated = 3;
constexpr std::size_t kTimesWorst = 3;  ///< so many times as many as the worst reference has
}  // namespace

NonFinite non_finite(std::span<const std::int64_t> excused, const Track& run) {
  NonFinite result;
  std::size_t streak = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (std::ranges::binary_search(excused, run.steps[i])) continue;
    result.at_end = !std::isfinite(run.values[i]);
    if (!result.at_end) {
      streak = 0;
      continue;
    }
    ++result.count;
    result.longest = std::max(result.longest, ++streak);
    if (!result.first) result.first = run.steps[i];
  }
  return result;
}

bool diverges(std::span<const std::int64_t> excused, const Track& run) {
  const NonFinite found = non_finite(excused, run);
  return found.longest >= kConsecutive || found.at_end || found.count > kIsolated;
}

std::optional<Event> non_finite_event(const Reference& reference, const Track& run, AttemptStage stage) {
  const NonFinite found = non_finite(reference.excused, run);
  if (found.count == 0) return std::nullopt;
  const bool ends_so = found.at_end && stage == AttemptStage::over;
  const bool many =
      found.longest >= kConsecutive || ends_so || found.count > std::max(kIsolated, kTimesWorst * reference.non_finite);
  const bool by_chance = reference.diverged > 0;
  return Event{
      .code = "nan",
      .fails = many && !by_chance,
      .text = fmt::format("{} is NaN or infinite at {} step(s), first at step {}; {}", reference.metric.name, found.count,
                          *found.first, by_chance ? "a reference run diverged, too" : "the reference is finite there"),
      .step = found.first,
      .forbids_pass = many && by_chance};
}

}  // namespace bisectd::driver::judge
