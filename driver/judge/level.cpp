// See level.hpp.
#include "driver/judge/level.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bisectd::driver::judge {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double trimmed_mean(std::span<double> values, double trim) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  const auto cut = std::min(static_cast<std::ptrdiff_t>(trim * static_cast<double>(n)), (n - 1) / 2);
  if (cut > 0) {
    std::nth_element(values.begin(), values.begin() + cut, values.end());
    std::nth_element(values.begin() + cut, values.end() - cut, values.end());
  }
  const double count = static_cast<double>(n - 2 * cut);
  // Divided before it is summed: the sum of many values near 1e308 would overflow.
  return std::accumulate(values.begin() + cut, values.end() - cut, 0.0,
                         [count](double sum, double value) { return sum + value / count; });
}

double quantile(std::span<double> values, double q) {
  const auto rank = std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

std::vector<double> smoothed(std::span<const double> values, std::size_t width) {
  const std::size_t half = width / 2;
  if (half == 0) return {values.begin(), values.end()};
  const std::size_t n = values.size();
  std::vector<double> result(n);
  const double full = static_cast<double>(2 * half + 1);
  double sum = 0;  // of the values in the window, each divided by `full` so that it cannot overflow
  std::size_t from = 0, to = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (to < n && to <= i + half) sum += values[to++] / full;
    while (from + half < i) sum -= values[from++] / full;
    result[i] = sum * (full / static_cast<double>(to - from));
  }
  return result;
}

std::vector<double> scale_of(std::span<const double> mean, double smallest_scale) {
  std::vector<double> sorted(mean.begin(), mean.end());
  const double span = quantile(sorted, 0.95) / 20 - quantile(sorted, 0.05) / 20;
  std::vector<double> size(mean.size());
  std::transform(mean.begin(), mean.end(), size.begin(), [](double value) { return std::abs(value); });
  // A millionth of the largest value keeps the scale above zero, and above the rounding of the moving mean.
  const double floor = std::max({smallest_scale, span, 1e-6 * *std::max_element(size.begin(), size.end())});
  std::vector<double> scale = smoothed(size, mean.size() / 20);
  for (double& value : scale) value = std::max(value, floor);
  return scale;
}

double relative(double value, double mean, double scale) {
  return std::clamp(value / scale - mean / scale, -kLargestDifference, kLargestDifference);
}

}  // namespace bisectd::driver::judge
