// See watched.hpp.
#include "driver/judge/watched.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::int64_t kWarmInSteps = 40;  ///< a few decreases at the start are the scale finding its place
constexpr double kWarmInShare = 0.05;
constexpr std::size_t kFewDecreases = 3, kDecreasesFactor = 3;
constexpr double kCollapsed = 1.0;
constexpr double kGradNormNote = 0.10;
constexpr std::size_t kGradNormConsecutive = 3;

struct ScaleHistory {
  std::size_t decreases = 0;              ///< after warm-in
  std::optional<std::int64_t> collapsed;  ///< first step at or below kCollapsed after having been above
};

ScaleHistory history_of(const Track& track, std::int64_t warm_in) {
  ScaleHistory history;
  bool was_above = false;
  for (std::size_t i = 0; i < track.size(); ++i) {
    const double value = track.values[i];
    if (value <= kCollapsed && was_above && !history.collapsed) history.collapsed = track.steps[i];
    was_above = was_above || value > kCollapsed;
    if (i > 0 && value < track.values[i - 1] && track.steps[i] > warm_in) ++history.decreases;
  }
  return history;
}

}  // namespace

std::optional<std::int64_t> collapsed_at(const Curve& curve, std::int64_t after) {
  const auto found = curve.series.find(kLossScale);
  if (found == curve.series.end()) return std::nullopt;
  const Track track = tidy(found->second);
  for (std::size_t i = 1; i < track.size(); ++i)
    if (track.steps[i] > after && track.values[i] <= kCollapsed && track.values[i - 1] > kCollapsed) return track.steps[i];
  return std::nullopt;
}

void loss_scale(const Reference& reference, const Curve& curve, std::vector<Event>& events) {
  const auto found = curve.series.find(kLossScale);
  if (found == curve.series.end() || found->second.empty()) return;
  const std::int64_t warm_in =
      std::max(kWarmInSteps, static_cast<std::int64_t>(kWarmInShare * static_cast<double>(reference.last_step())));
  const ScaleHistory mine = history_of(tidy(found->second), warm_in);
  const bool known = reference.watched.contains(kLossScale);  // else nothing says how often a healthy one falls
  std::size_t worst = 0;
  bool reference_collapsed = false;
  if (known) {
    for (const Track& run : reference.watched.at(kLossScale)) {
      const ScaleHistory other = history_of(run, warm_in);
      worst = std::max(worst, other.decreases);
      reference_collapsed = reference_collapsed || other.collapsed;
    }
  }
  if (mine.collapsed && !reference_collapsed) {
    events.push_back(
        {"overflow", true, fmt::format("the loss scale fell to its minimum at step {}", *mine.collapsed), mine.collapsed});
  } else if (mine.decreases > std::max(kFewDecreases, kDecreasesFactor * worst)) {
    events.push_back({"overflow", known,
                      fmt::format("the loss scale fell {} times after warm-in ({})", mine.decreases,
                                  known ? fmt::format("worst reference: {}", worst) : "the reference logs none"),
                      std::nullopt});
  }
}

std::optional<std::int64_t> lost_gradient(const Curve& curve) {
  const auto found = curve.series.find(kGradNorm);
  if (found == curve.series.end()) return std::nullopt;
  const Track track = tidy(found->second);
  std::size_t from = track.size();
  while (from > 0 && !std::isfinite(track.values[from - 1])) --from;
  return track.size() - from >= kGradNormConsecutive ? std::optional(track.steps[from]) : std::nullopt;
}

void grad_norm(const Reference& reference, const Curve& curve, std::vector<Event>& events) {
  const auto found = curve.series.find(kGradNorm);
  const auto watched = reference.watched.find(kGradNorm);
  const auto is_finite_at_end = [](const Track& run) { return run.empty() || std::isfinite(run.values.back()); };
  if (const auto step = lost_gradient(curve);
      step && (watched == reference.watched.end() || std::ranges::all_of(watched->second, is_finite_at_end))) {
    events.push_back({"nan", true, fmt::format("the gradient norm is not finite from step {} on", *step), step});
    return;
  }
  if (found == curve.series.end() || found->second.empty() || watched == reference.watched.end()) return;
  // The first reference is the frozen baseline: a norm is only ever noted, so its own spread matters little.
  const Track mine = tidy(found->second);
  const Track& theirs = watched->second.front();
  const Match matched = match(mine, theirs.steps);
  double error = 0;
  std::size_t in_window = 0;
  for (std::size_t i = 0; i < matched.at.size(); ++i) {
    const double baseline = theirs.values[matched.at[i]], value = matched.values[i];
    if (theirs.steps[matched.at[i]] < reference.steps[reference.window.from] || !std::isfinite(value) ||
        !std::isfinite(baseline) || baseline <= 0)
      continue;
    error += relative(value, baseline, baseline);
    ++in_window;
  }
  if (in_window > 0 && std::abs(error) / static_cast<double>(in_window) > kGradNormNote)
    events.push_back({"grad-norm", false,
                      fmt::format("the gradient norm differs by {:.3g} % in the final window",
                                  100 * error / static_cast<double>(in_window)),
                      reference.last_step()});
}

}  // namespace bisectd::driver::judge
