// A number as it stands in a line of a log. All spellings of numbers are known here and nowhere else.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bisectd::driver::learn {

/// Steps, epochs and what they are counted to: the product of two fits.
inline constexpr std::int64_t kMostCounted = 1'000'000'000;

struct Value {
  double number = 0;         ///< NaN or infinite where the trainer says so, in whatever spelling
  std::int64_t of = 0;       ///< 1000 in "5/1000"; 0: it is not counted
  std::int8_t decimals = 0;  ///< digits behind the point; 9 where there is an exponent
  bool whole = false;        ///< digits only, and no more than count anything
  bool percent = false;
  bool has_unit = false;  ///< percent among them
  bool none = false;      ///< the trainer says that there is no number: None, n/a; it is NaN then

  /// 0 for what is no count.
  std::int64_t count() const {
    return std::abs(number) <= static_cast<double>(kMostCounted) ? static_cast<std::int64_t>(number) : 0;
  }
};

/// Both finite and the same to the digits of the one with fewer; or neither finite and the same.
bool same(const Value& a, const Value& b);

/// A place of a line that holds a number, or a date or time of day, which is none.
struct FoundValue {
  std::size_t begin = 0, end = 0;
  std::optional<Value> value;  ///< absent: a time
};

/// The number that begins at `at`; of a date or a time of day, its first.
std::optional<FoundValue> number_at(std::string_view line, std::size_t at);

/// The first at or behind `from`.
std::optional<FoundValue> find_value(std::string_view line, std::size_t from);

/// The whole text is one number or time.
std::optional<FoundValue> as_value(std::string_view text);

}  // namespace bisectd::driver::learn
