// Binary logarithm from + - * / alone: the same bits on every machine, so that ties between trials fall the same way.
#pragma once

#include <array>
#include <cmath>

namespace bisectd::strategies {

/// log2 x for x > 0, absolute error below 1e-12 for the mantissa's part: 2/ln 2 * atanh((m - r) / (m + r)), r =
/// sqrt(1/2).
inline double portable_log2(double x) {
  int exponent = 0;
  const double m = std::frexp(x, &exponent);  // exact; in [1/2, 1)
  const double z = (m - 0.70710678118654752) / (m + 0.70710678118654752), z2 = z * z;
  constexpr std::array kOdd{1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
  double sum = 0;
  for (const double each : kOdd) sum = sum * z2 + each;
  return exponent - 0.5 + 2.8853900817779268 * z * sum;
}

/// Natural logarithm, from the same.
inline double portable_ln(double x) { return 0.69314718055994531 * portable_log2(x); }

}  // namespace bisectd::strategies
