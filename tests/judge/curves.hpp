// Small curves for the judge's tests. Deterministic: noise comes from a fixed hash of run and step.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "driver/judge/curve.hpp"
#include "driver/judge/reference.hpp"

namespace bisectd::tests {

using driver::judge::Curve;
using driver::judge::Series;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline const driver::judge::MetricRule kLoss{"loss", false};

/// Of runs that can be references; throws std::bad_expected_access otherwise.
inline driver::judge::Reference reference_of(const std::vector<Curve>& runs, const configs::Acceptance& accept = {}) {
  return driver::judge::prepare_reference(accept, runs, kLoss).value();
}

/// A loss that falls from about 5 to about 2, over steps 1..n.
inline double plain_loss(std::int64_t step) { return 1.8 + 9 * std::pow(static_cast<double>(step) + 8, -0.45); }

/// In [-1, 1], the same for the same arguments.
inline double jitter(std::uint64_t run, std::int64_t step) {
  std::uint64_t x = run * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(step) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebULL;
  x ^= x >> 29;
  return static_cast<double>(x >> 11) / static_cast<double>(1ULL << 52) - 1;
}

inline Curve curve_of(Series series, const std::string& name = "loss") {
  Curve curve;
  curve.series[name] = std::move(series);
  return curve;
}

/// Steps 1..n of `value`.
inline Curve curve(std::int64_t n, const std::function<double(std::int64_t)>& value) {
  Series series;
  for (std::int64_t step = 1; step <= n; ++step) series.push_back({step, value(step)});
  return curve_of(std::move(series));
}

/// A run of n steps whose loss is `bias` (a fraction) too high, with `noise` as offset between runs and within the run.
inline Curve noisy(std::int64_t n, std::uint64_t run, double noise, double bias = 0) {
  return curve(n, [=](std::int64_t step) {
    return plain_loss(step) * (1 + bias + noise * jitter(run, -7) + noise * jitter(run, step));
  });
}

inline std::vector<Curve> noisy_references(std::int64_t n, int m, double noise) {
  std::vector<Curve> runs;
  for (int run = 1; run <= m; ++run) runs.push_back(noisy(n, static_cast<std::uint64_t>(run), noise));
  return runs;
}

inline std::vector<Curve> identical_references(std::int64_t n, int m) {
  return std::vector<Curve>(static_cast<std::size_t>(m), curve(n, plain_loss));
}

}  // namespace bisectd::tests
