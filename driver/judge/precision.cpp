// See precision.hpp. The shortest decimal text that gives the same double back has the digits that were printed, less
// trailing zeros; the most digits over many values are therefore the format's.
#include "driver/judge/precision.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace bisectd::driver::judge {
namespace {

constexpr int kAllDigits = 15;  ///< a value with more significant digits was printed in full

struct Digits {
  int significant = 0;
  int decimals = 0;  ///< after the point, of the value written without an exponent
};

Digits digits_of(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view whole(text, static_cast<std::size_t>(end - text));
  const std::size_t e = whole.find('e');
  int exponent = 0;
  const std::size_t number = e + (whole[e + 1] == '+' ? 2 : 1);
  std::from_chars(whole.data() + number, whole.data() + whole.size(), exponent);
  const int significant = e > 1 ? static_cast<int>(e) - 1 : 1;  // all of the mantissa but its point
  return {significant, std::max(0, significant - 1 - exponent)};
}

}  // namespace

double printed_unit(std::span<const double> values, double near) {
  Digits most;
  for (double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    const Digits digits = digits_of(value);
    most.significant = std::max(most.significant, digits.significant);
    most.decimals = std::max(most.decimals, digits.decimals);
  }
  if (most.significant > kAllDigits || most.significant == 0 || near == 0) return 0;
  const double exponent = std::floor(std::log10(std::abs(near)));
  return std::max(std::pow(10.0, -most.decimals), std::pow(10.0, exponent + 1 - most.significant));
}

double repeated_share(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::size_t same = 0;
  for (std::size_t i = 1; i < values.size(); ++i) same += values[i] == values[i - 1] ? 1 : 0;
  return static_cast<double>(same) / static_cast<double>(values.size() - 1);
}

}  // namespace bisectd::driver::judge
