// See attempt.hpp.
#include "driver/judge/attempt.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace bisectd::driver::judge {
namespace {

constexpr double kWholeRun = 0.9;         ///< share of the run that must be there
constexpr double kMissingInWindow = 0.2;  ///< of the points due in the final window

/// Points that an attempt should have in the window: fewer than the grid's if it logs at a coarser interval, so that
/// only every lcm-th step is common. A regular coarser log has no gaps.
double points_due(const Reference& reference, const Attempt& attempt) {
  const std::int64_t mine = stride(attempt.difference.track.steps);
  const std::int64_t every = std::max<std::int64_t>(1, mine / std::gcd(mine, reference.stride));
  return static_cast<double>(attempt.window.size()) / static_cast<double>(every);
}

void check_coverage(const Reference& reference, const Curve& curve, Attempt& attempt) {
  const Track& track = attempt.difference.track;
  const auto unresolved = [&attempt](std::string code, std::string text) {
    attempt.trouble = std::move(code);
    attempt.trouble_text = std::move(text);
  };
  const auto logged = curve.series.find(reference.metric.name);
  if (logged == curve.series.end() || logged->second.empty())
    return unresolved("no-curve", fmt::format("no {} was logged", reference.metric.name));
  if (attempt.difference.places.empty()) {
    return unresolved("misaligned", "the attempt and the reference have no logged step in common");
  }
  const double whole = static_cast<double>(reference.last_step() - reference.steps.front() + reference.stride);
  const double missing = static_cast<double>(reference.last_step() - track.steps.back());
  if (missing > (1 - kWholeRun) * whole) {
    return unresolved("truncated",
                      fmt::format("the curve ends at step {} of {}", track.steps.back(), reference.last_step()));
  }
  attempt.window = places_in(reference, window_at(reference, track.steps.back()));
  const auto found = static_cast<double>(values_in(attempt.difference, attempt.window).size());
  if (found < 1 || found < std::floor((1 - kMissingInWindow) * points_due(reference, attempt))) {
    return unresolved("gaps", fmt::format("{} of about {:.0f} points are missing in the final window",
                                          std::max(1.0, std::ceil(points_due(reference, attempt) - found)),
                                          points_due(reference, attempt)));
  }
}

}  // namespace

Attempt attempt_of(const Reference& reference, const Curve& curve) {
  Attempt attempt{difference(reference, curve), {}, {}, {}, {}};
  attempt.events = events_of(reference, curve, attempt.difference, Progress::over);
  check_coverage(reference, curve, attempt);
  return attempt;
}

DistinctAttempts distinct(std::vector<Attempt> attempts) {
  DistinctAttempts result;
  for (Attempt& attempt : attempts) {
    const bool known = std::any_of(result.attempts.begin(), result.attempts.end(), [&](const Attempt& other) {
      return identical(attempt.difference.track, other.difference.track);
    });
    if (known) {
      ++result.repeated;
    } else {
      result.attempts.push_back(std::move(attempt));
    }
  }
  return result;
}

Spread spread_of(const Reference& reference, std::span<const Attempt> attempts) {
  std::vector<double> last, before;
  for (const Attempt& attempt : attempts) {
    last.push_back(level_in(reference, attempt.difference, attempt.window));
    const Window window = window_before(window_at(reference, attempt.difference.track.steps.back()));
    const Places places = places_in(reference, window);
    if (2 * values_in(attempt.difference, places).size() >= values_in(attempt.difference, attempt.window).size()) {
      before.push_back(level_in(reference, attempt.difference, places));
    }
  }
  if (before.size() < last.size()) before.clear();
  return spread_of(last, before);
}

}  // namespace bisectd::driver::judge
