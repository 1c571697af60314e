// See difference.hpp.
#include "driver/judge/difference.hpp"

#include <algorithm>
#include <cmath>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
Difference difference(const Reference& reference, const Curve& curve) {
  Difference result;
  const auto found = curve.series.find(reference.metric.name);
  if (found == curve.series.end() || !sane_steps(found->second)) return result;
  result.track = until(tidy(found->second), reference.last_step());
  result.track.perturbed = curve.perturbed;
  Match matched = match(result.track, reference.steps);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < matched.at.size(); ++i) {
    if (!std::isfinite(matched.values[i])) continue;
    const std::size_t t = matched.at[i];
    matched.at[kept] = t;
    matched.values[kept++] = relative(matched.values[i], reference.mean[t], reference.scale[t]);
  }
  matched.at.resize(kept);
  matched.values.resize(kept);
  result.places = std::move(matched.at);
  result.values = std::move(matched.values);
  return result;
}

double badness(const Reference& reference, double difference) {
  if (!reference.accept.worse_only) return std::abs(difference);
  return reference.metric.higher_is_better ? -difference : difference;
}

Difference until(const Reference& reference, const Difference& difference, std::int64_t last) {
  Difference result;
  result.track = until(difference.track, last);
  const std::size_t places = places_between(reference, reference.steps.front() - 1, last).to;
  const auto values = values_in(difference, {0, places});
  result.values.assign(values.begin(), values.end());
  result.places.assign(difference.places.begin(), difference.places.begin() + static_cast<std::ptrdiff_t>(values.size()));
  return result;
}

std::span<const double> values_in(const Difference& difference, const Places& places) {
  const auto place = [&](std::size_t t) {
    return static_cast<std::size_t>(std::lower_bound(difference.places.begin(), difference.places.end(), t) -
                                    difference.places.begin());
  };
  const std::size_t from = place(places.from);
  return std::span(difference.values).subspan(from, place(places.to) - from);
}

double level_in(const Reference& reference, const Difference& difference, const Places& places) {
  const auto inside = values_in(difference, places);
  std::vector<double> values(inside.begin(), inside.end());
  return trimmed_mean(values, reference.accept.trim);
}

}  // namespace bisectd::driver::judge
