#include "reports/thin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bisectd::reports {
namespace {

// Indices to keep of the stretch [first, last), ascending; some may be equal, and `last` stands for none.
std::array<std::size_t, 3> kept(const std::vector<double>& values, std::size_t first, std::size_t last) {
  std::size_t low = last, high = last, gap = last;
  for (std::size_t i = first; i < last; ++i) {
    if (!std::isfinite(values[i])) {
      gap = std::min(gap, i);
      continue;
    }
    if (low == last || values[i] < values[low]) low = i;
    if (high == last || values[i] > values[high]) high = i;
  }
  std::array indices{low, high, gap};
  std::ranges::sort(indices);
  return indices;
}

}  // namespace

Line thinned(const Line& curve, std::size_t points) {
  const std::size_t size = std::min(curve.steps.size(), curve.values.size());
  const std::size_t stretches = std::max<std::size_t>(points, 4) / 2;
  if (size <= 2 * stretches) return curve;
  Line result;
  const auto keep = [&](std::size_t i) {
    result.steps.push_back(curve.steps[i]);
    result.values.push_back(curve.values[i]);
  };
  for (std::size_t stretch = 0, next = 0; stretch < stretches; ++stretch) {
    const std::size_t last = (stretch + 1) * size / stretches;
    for (const std::size_t i : kept(curve.values, stretch * size / stretches, last)) {
      if (i < next || i == last) continue;
      keep(i);
      next = i + 1;
    }
  }
  if (result.steps.back() != curve.steps[size - 1]) keep(size - 1);
  return result;
}

}  // namespace bisectd::reports
