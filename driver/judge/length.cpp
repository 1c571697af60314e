#include "driver/judge/length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bisectd::driver::judge {
namespace {

/// Whether another value was due between `end` and `last`, on steps such as these, and too much of the run is missing. Of
/// two numberings one may begin at 0 and the other at 1.
bool ends_early(std::span<const std::int64_t> steps, std::int64_t end, std::int64_t last) {
  const std::int64_t every = stride(steps);
  const double whole = static_cast<double>(last - steps.front() + every);
  return last - end > every && static_cast<double>(last - end) > (1 - kWholeRun) * whole;
}

}  // namespace

std::optional<Problem> too_short(std::span<const Curve> references, const std::string& metric,
                                 std::optional<std::int64_t> steps) {
  if (!steps) return std::nullopt;
  for (const Curve& run : references) {
    const auto logged = run.series.find(metric);
    if (logged == run.series.end() || !sane_steps(logged->second)) continue;
    const Track track = tidy(logged->second);
    if (track.size() < 2 || !ends_early(track.steps, track.steps.back(), *steps)) continue;
    return Problem{"reference-too-short",
                   fmt::format("it ends at step {}, and `steps` is {}, so nothing after step {} could be compared",
                               track.steps.back(), *steps, track.steps.back()),
                   fmt::format("Make a reference of {} steps, or write `steps: {}`", *steps, track.steps.back())};
  }
  return std::nullopt;
}

std::optional<Uncovered> uncovered(const Reference& reference, const Curve& run) {
  const auto logged = run.series.find(reference.metric.name);
  if (logged == run.series.end() || !sane_steps(logged->second)) return std::nullopt;
  const Track track = tidy(logged->second);
  if (track.empty() || !ends_early(reference.steps, reference.last_step(), track.steps.back())) return std::nullopt;
  const auto behind = std::ranges::upper_bound(track.steps, reference.last_step()) - track.steps.begin();
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto broken = std::find_if_not(track.values.begin() + behind, track.values.end(), finite);
  Uncovered result{.text = fmt::format("{} goes on to step {}, and the reference ends at step {}: what came after that was "
                                       "compared with nothing",
                                       reference.metric.name, track.steps.back(), reference.last_step()),
                   .not_finite = broken != track.values.end()};
  if (result.not_finite)
    result.text += fmt::format(", and at step {} it is {}",
                               track.steps[static_cast<std::size_t>(broken - track.values.begin())], *broken);
  return result;
}

}  // namespace bisectd::driver::judge
