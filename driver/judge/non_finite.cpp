// See non_finite.hpp.
#include "driver/judge/non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
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
  // The end of a part that is looked at is not the end of the run.
  const bool ends_so = found.at_end && stage == AttemptStage::over && !reference.shortened;
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
