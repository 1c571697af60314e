// See align.hpp. Logs are nearly always in order already; every function takes that path without a sort.
#include "driver/judge/align.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace bisectd::driver::judge {
namespace {

/// Values of a run that was started anew are those of the first start but for rounding; an epoch later a loss has fallen,
/// and goes on from where it was.
constexpr double kOtherValues = 0.02;
constexpr std::size_t kFewestRepeated = 3, kBesideTheJoint = 5;
constexpr double kTiny = std::numeric_limits<double>::min();

}  // namespace

bool sane_steps(const Series& series) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  return std::all_of(series.begin(), series.end(),
                     [](const Point& point) { return point.step >= -kLargest && point.step <= kLargest; });
}

bool counts_anew(const Series& series) {
  std::vector<double> changes;
  // From the values behind a place where steps begin again: to those of the same steps, and to those right before it.
  double to_first = 0, to_last = 0;
  for (std::size_t at = 1; at < series.size(); ++at) {
    if (series[at].step > series.front().step || series[at - 1].step <= series[at].step) continue;
    for (std::size_t i = 0; i < at && at + i < series.size() && std::abs(series[at + i].step - series[i].step) <= 1; ++i) {
      const double before = series[i].value, last = series[at - 1 - i].value, now = series[at + i].value;
      if (!std::isfinite(before) || !std::isfinite(last) || !std::isfinite(now)) continue;
      changes.push_back(std::abs(now - before) / std::max({std::abs(now), std::abs(before), kTiny}));
      if (i >= kBesideTheJoint) continue;
      to_first += std::abs(now - before);
      to_last += std::abs(now - last);
    }
  }
  if (changes.size() < kFewestRepeated || to_last >= to_first) return false;
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  return *middle > kOtherValues;
}

Track tidy(const Series& series) {
  Track track;
  track.steps.reserve(series.size());
  track.values.reserve(series.size());
  const auto not_ascending = [](const Point& a, const Point& b) { return a.step >= b.step; };
  if (std::adjacent_find(series.begin(), series.end(), not_ascending) == series.end()) {
    for (const Point& point : series) {
      track.steps.push_back(point.step);
      track.values.push_back(point.value);
    }
    return track;
  }
  track.resumed = true;
  Series sorted = series;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Point& a, const Point& b) { return a.step < b.step; });
  for (const Point& point : sorted) {
    if (!track.empty() && track.steps.back() == point.step) {
      track.values.back() = point.value;
    } else {
      track.steps.push_back(point.step);
      track.values.push_back(point.value);
    }
  }
  return track;
}

Track until(Track track, std::int64_t last) {
  const auto end = std::upper_bound(track.steps.begin(), track.steps.end(), last);
  const auto kept = static_cast<std::size_t>(end - track.steps.begin());
  track.steps.resize(kept);
  track.values.resize(kept);
  return track;
}

std::vector<std::int64_t> common_steps(std::span<const Track> tracks) {
  if (tracks.empty()) return {};
  std::vector<std::int64_t> common = tracks.front().steps;
  std::vector<std::int64_t> next;
  for (const Track& track : tracks.subspan(1)) {
    if (track.steps == common) continue;
    next.clear();
    std::set_intersection(common.begin(), common.end(), track.steps.begin(), track.steps.end(), std::back_inserter(next));
    common.swap(next);
  }
  return common;
}

std::int64_t stride(std::span<const std::int64_t> steps) {
  if (steps.size() < 2) return 1;
  std::vector<std::int64_t> gaps(steps.size());
  std::adjacent_difference(steps.begin(), steps.end(), gaps.begin());
  const auto middle = gaps.begin() + 1 + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
  std::nth_element(gaps.begin() + 1, middle, gaps.end());
  return *middle;
}

bool identical(const Track& a, const Track& b) {
  return a.steps == b.steps && (a.empty() || std::memcmp(a.values.data(), b.values.data(), a.size() * sizeof(double)) == 0);
}

bool identical(const Curve& a, const Curve& b) {
  return std::ranges::equal(a.series, b.series, [](const auto& left, const auto& right) {
    return left.first == right.first && identical(tidy(left.second), tidy(right.second));
  });
}

Match match(const Track& track, std::span<const std::int64_t> grid) {
  Match found;
  found.at.reserve(std::min(track.size(), grid.size()));
  found.values.reserve(found.at.capacity());
  std::size_t place = 0;
  for (std::size_t i = 0; i < track.size() && place < grid.size(); ++i) {
    while (place < grid.size() && grid[place] < track.steps[i]) ++place;
    if (place < grid.size() && grid[place] == track.steps[i]) {
      found.at.push_back(place++);
      found.values.push_back(track.values[i]);
    }
  }
  return found;
}

}  // namespace bisectd::driver::judge
