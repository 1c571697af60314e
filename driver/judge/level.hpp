// Where a curve stands: trimmed means, quantiles, the scale that makes a difference relative. Knows no target.
#pragma once

#include <span>
#include <vector>

namespace bisectd::driver::judge {

/// Of at least one value.
double mean_of(std::span<const double> values);

/// Root mean square of at least one value.
double rms(std::span<const double> values);

/// Differences are cut at this size (as a fraction), so that 1e308 in a log stays a large number and not an infinity.
inline constexpr double kLargestDifference = 1e6;

/// Mean without the `trim` share of the smallest and of the largest values. All finite, not empty. Reorders `values`.
double trimmed_mean(std::span<double> values, double trim);

/// Size of the noise in values around their trend, from their second differences (of white noise: six times its variance).
double roughness(std::span<const double> values);

/// The value at share `q` (0..1) of the sorted values (nearest rank). Not empty. Reorders `values`.
double quantile(std::span<double> values, double q);
inline double quantile(std::vector<double>&& values, double q) { return quantile(std::span(values), q); }

/// What differences are divided by, step by step: |mean|, but at least a tenth of its mean size, so that a loss that comes
/// near zero or changes its sign has one, and at least `smallest_scale`. All finite, not empty. Positive, but for a curve of
/// zeros without a smallest scale: the caller must refuse that.
std::vector<double> scale_of(std::span<const double> mean, double smallest_scale);

/// (value - mean) / scale without overflow, cut at +-kLargestDifference. `scale` > 0, all finite.
double relative(double value, double mean, double scale);

}  // namespace bisectd::driver::judge
