// Whole numbers from a file that somebody may have changed: nlohmann converts 1.5 and 9e99 without a word, the latter with
// an undefined result.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bisectd::driver::keep {

/// Throws std::invalid_argument for anything but a whole number that fits.
template <class Number = std::size_t, class Json>
Number whole_number(const Json& from) {
  bool fits = from.is_number_integer();
  if (from.is_number_unsigned()) fits = std::in_range<Number>(from.template get<std::uint64_t>());
  else if (fits) fits = std::in_range<Number>(from.template get<std::int64_t>());
  if (!fits) throw std::invalid_argument(fmt::format("{} should be a whole number", from.dump()));
  return from.template get<Number>();
}

template <class Number = std::size_t, class Json>
std::vector<Number> whole_numbers(const Json& from) {
  std::vector<Number> numbers;
  for (const Json& each : from) numbers.push_back(whole_number<Number>(each));
  return numbers;
}

}  // namespace bisectd::driver::keep
