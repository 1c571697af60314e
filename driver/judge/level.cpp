// See level.hpp.
#include "driver/judge/level.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bisectd::driver::judge {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double rms(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value / static_cast<double>(values.size());
  return std::sqrt(squares);
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

double roughness(std::span<const double> values) {
  double squares = 0;
  for (std::size_t i = 0; i + 2 < values.size(); ++i) squares += std::pow(values[i] - 2 * values[i + 1] + values[i + 2], 2);
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(values.size(), 3) - 2) / 6);
}

double quantile(std::span<double> values, double q) {
  const auto rank = std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

std::vector<double> scale_of(std::span<const double> mean, double smallest_scale) {
  constexpr double kNearZero = 0.1;
  double size = 0, largest = 0;
  for (const double value : mean) {
    size += std::abs(value) / static_cast<double>(mean.size());
    largest = std::max(largest, std::abs(value));
  }
  // A millionth of the largest value keeps a scale above zero that a few huge values would not.
  const double floor = std::max({smallest_scale, kNearZero * size, 1e-6 * largest});
  std::vector<double> scale;
  for (const double value : mean) scale.push_back(std::max(std::abs(value), floor));
  return scale;
}

double relative(double value, double mean, double scale) {
  return std::clamp(value / scale - mean / scale, -kLargestDifference, kLargestDifference);
}

}  // namespace bisectd::driver::judge
