// See non_finite.hpp.
#include "driver/judge/non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::size_t kConsecutive = 3, kIsolated = 3;
constexpr std::size_t kTimesWorst = 3;  ///< so many times as many as the worst reference has
/// Of 26,442 healthy curves of nine small nets, some at rates that are too high for them, 11 ended with NaN while no run of
/// the reference did. In nine of them runs of the reference were further apart before than this share of the first loss;
/// each blew up within four steps, to 100 times all that the reference had shown or more.
constexpr double kUnstable = 0.5, kBlownUp = 10;
constexpr std::ptrdiff_t kBlowsUpWithin = 10;  ///< values

/// Whether the last values before `step` were far above all that the reference shows. Other NaN come out of the blue.
bool blew_up_before(const Reference& reference, const Track& run, std::int64_t step) {
  std::vector<double> largest;
  for (const Track& one : reference.runs) {
    double most = 0;
    for (const double value : one.values)
      if (std::isfinite(value)) most = std::max(most, std::abs(value));
    largest.push_back(most);
  }
  const auto end = run.values.begin() + (std::ranges::lower_bound(run.steps, step) - run.steps.begin());
  const auto begin = end - std::min(kBlowsUpWithin, end - run.values.begin());
  return std::any_of(begin, end, [most = kBlownUp * quantile(largest, 0.5)](double v) { return std::abs(v) > most; });
}

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

std::optional<std::int64_t> unstable_from(const Reference& reference) {
  for (std::size_t t = 0; t < reference.steps.size(); ++t)
    for (const auto& run : reference.residuals)
      if (std::abs(run[t]) * reference.scale[t] > kUnstable * reference.scale.front()) return reference.steps[t];
  return std::nullopt;
}

std::optional<Event> non_finite_event(const Reference& reference, const Track& run, AttemptStage progress) {
  const NonFinite found = non_finite(reference.excused, run);
  if (found.count == 0) return std::nullopt;
  // The end of a part that is looked at is not the end of the run.
  const bool ends_so = found.at_end && progress == AttemptStage::over && !reference.shortened;
  const bool many = found.longest >= kConsecutive || ends_so ||
                    found.count > std::max(kIsolated, kTimesWorst * reference.noise_floor.non_finite);
  const bool unstable =
      reference.unstable_from && *reference.unstable_from <= *found.first && blew_up_before(reference, run, *found.first);
  const bool by_chance = reference.diverged > 0 || unstable;
  return Event{
      .code = "nan",
      .fails = many && !by_chance,
      .text = fmt::format("{} is NaN or infinite at {} step(s), first at step {}; {}", reference.metric.name, found.count,
                          *found.first,
                          reference.diverged > 0 ? "a reference run diverged, too"
                          : unstable ? fmt::format("it blew up, and from step {} on runs of the reference differ by "
                                                   "more than half of the first value: such a training may diverge "
                                                   "by chance",
                                                   *reference.unstable_from)
                                     : "the reference is finite there"),
      .step = found.first,
      .forbids_pass = many && by_chance};
}

}  // namespace bisectd::driver::judge
