// One written value -> number, share, duration, truth value. Own parsing: yaml-cpp reads 010 as 8, `no` as false and
// .nan as a number. Knows nothing of keys or files.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "configs/value.hpp"

namespace bisectd::configs {

/// Why a value is not what was expected.
struct Fault {
  std::string message;
  std::string hint;
};

template <class T>
using Parsed = tl::expected<T, Fault>;

/// Any scalar, exactly as written (numbers and true/false too).
Parsed<std::string> text_of(const Value& value);
/// A keyword of the experiment file. In quotes it is the same word: in JSON there is no other way to write it.
inline bool is_word(const Value& value, std::string_view word) {
  return value.kind == Value::Kind::scalar && value.text == word;
}
/// Only true and false.
Parsed<bool> boolean_of(const Value& value);
/// Decimal digits with an optional minus; no octal, hexadecimal, exponent or leading zero. Both ends included.
Parsed<std::int64_t> whole_number_of(const Value& value, std::int64_t least, std::int64_t most);
/// A finite decimal number, both ends included.
Parsed<double> number_of(const Value& value, double least, double most);
/// `500ms`, `90s`, `30m`, `1.5h`, `2d`; at most 30 days. A number without a unit is a fault.
Parsed<std::chrono::milliseconds> duration_of(const Value& value);
/// `0.5%` -> 0.005, strictly between 0 % and 100 %. A number without % is a fault: nobody can tell whether `0.5` means
/// a half or half a percent.
Parsed<double> share_of(const Value& value);

/// `+10%` -> 0.1, from 0 % to 1000 %; a number without + or % is a fault.
Parsed<double> increase_of(const Value& value);

}  // namespace bisectd::configs
