#include "driver/judge/soak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "driver/judge/align.hpp"
#include "driver/judge/level.hpp"
#include "driver/judge/running.hpp"
#include "driver/judge/watched.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr double kClimb = 0.05, kClimbTargets = 2, kClimbSigmas = 6;  ///< the limits of a spike, of a stretch of steps
constexpr double kClimbsBefore = 2;  ///< times what the run recovered from by itself: its last window may be at a peak
constexpr std::size_t kParts = 5;    ///< of a window: neighbouring steps are not independent

struct Stretch {
  std::int64_t first = 0, last = 0;
  double level = 0, standard_error = 0;
};

/// The steps in (last - length, last]; nothing if there are too few to tell a level.
std::optional<Stretch> stretch_at(const Track& track, std::int64_t last, std::int64_t length) {
  const auto from = std::ranges::upper_bound(track.steps, last - length);
  const auto to = std::ranges::upper_bound(track.steps, last);
  const auto count = static_cast<std::size_t>(to - from);
  if (count < kParts) return std::nullopt;
  const std::span<const double> values(&track.values[static_cast<std::size_t>(from - track.steps.begin())], count);
  Stretch stretch{.first = *from, .last = *(to - 1), .level = mean_of(values)};
  // Around the line through the parts: that a loss falls within a window is no noise.
  std::array<double, kParts> parts{};
  double slope = 0, squares = 0;
  constexpr double kMiddle = (kParts - 1) / 2.0, kLever = kParts * (kParts * kParts - 1) / 12.0;
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t begin = part * count / kParts, end = (part + 1) * count / kParts;
    parts[part] = mean_of(values.subspan(begin, end - begin)) - stretch.level;
    slope += parts[part] * (static_cast<double>(part) - kMiddle) / kLever;
  }
  for (std::size_t part = 0; part < kParts; ++part)
    squares += std::pow(parts[part] - slope * (static_cast<double>(part) - kMiddle), 2);
  stretch.standard_error = std::sqrt(squares / (kParts - 2) / kParts);
  return stretch;
}

/// Five percent of what the values span, so that a loss near zero has a size.
double scale_of_track(const Track& track, double level) {
  std::vector<double> values = track.values;
  return std::max(std::abs(level), 0.05 * (quantile(values, 0.95) - quantile(values, 0.05)));
}

/// The highest rise of the level, from one stretch to the next, that the run came down from again, up to `slack`. A loss may
/// go up and down with the data, over an epoch.
double recovered_climb(const Track& track, std::int64_t from, std::int64_t window, double sign, double slack) {
  std::vector<double> levels;
  for (std::int64_t last = from; last <= track.steps.back(); last += window)
    if (const auto stretch = stretch_at(track, last, window)) levels.push_back(sign * stretch->level);
  std::vector<double> lowest_after = levels;  // from each on
  std::partial_sum(lowest_after.rbegin(), lowest_after.rend(), lowest_after.rbegin(),
                   [](double a, double b) { return std::min(a, b); });
  double highest = 0, before = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    before = std::min(before, levels[i]);
    if (lowest_after[i] <= before + slack) highest = std::max(highest, levels[i] - before);
  }
  return highest;
}

struct Climb {
  bool fails = false;
  std::string text;
};

std::optional<Climb> climb_of(const MetricRule& metric, const SoakLength& length, const configs::Acceptance& accept,
                              const Track& track) {
  const auto window = static_cast<std::int64_t>(std::ceil(accept.window * static_cast<double>(length.trial)));
  const auto before = stretch_at(track, length.trial, window), after = stretch_at(track, track.steps.back(), window);
  if (!before || !after) return std::nullopt;
  const double scale = scale_of_track(track, before->level);
  if (!(scale > 0)) return std::nullopt;
  const double change = after->level - before->level;
  const double worse = metric.higher_is_better ? -change : change;
  const double slack = std::max(scale * std::max(kClimb, kClimbTargets * accept.target),
                                kClimbSigmas * std::hypot(before->standard_error, after->standard_error));
  const double limit =
      std::max(slack, kClimbsBefore * recovered_climb(track, length.trial, window, metric.higher_is_better ? -1 : 1, slack));
  const std::string levels = fmt::format("{:.4g} in steps {} to {}, {:.4g} in steps {} to {}", before->level, before->first,
                                         before->last, after->level, after->first, after->last);
  const char* what = metric.higher_is_better ? "falls" : "climbs";
  if (worse > limit) return Climb{true, fmt::format("{} {}: {}", metric.name, what, levels)};
  return Climb{false, fmt::format("{} {}", metric.name, levels)};
}

}  // namespace

Judgement judge_soak(std::span<const MetricRule> metrics, const SoakLength& length, const configs::Acceptance& accept,
                     const Curve& curve) {
  Judgement judgement = judge_running(metrics, length.soak, std::span(&curve, 1));
  if (judgement.reason == "truncated") {
    judgement.verdict = strategies::Verdict::inconclusive;
    judgement.text += ": the soak says nothing; let `{steps}` in its command tell it how far to go";
  }
  if (judgement.verdict != strategies::Verdict::pass) return judgement;
  if (const auto step = collapsed_at(curve, length.trial))
    return broke("overflow", fmt::format("the loss scale fell to its minimum at step {}", *step));
  for (const MetricRule& metric : metrics) {
    const auto climb = climb_of(metric, length, accept, tidy(curve.series.at(metric.name)));
    if (!climb) continue;
    if (climb->fails) return broke("climbs", climb->text);
    judgement.text += ", " + climb->text;
  }
  return judgement;
}

}  // namespace bisectd::driver::judge
