#include "configs/scalar.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "configs/printable.hpp"

namespace bisectd::configs {
namespace {

std::string found(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "nothing";
    case Value::Kind::list: return "a list";
    case Value::Kind::map: return "keys and values";
    case Value::Kind::scalar: break;
  }
  return value.quoted ? "the quoted text " + in_quotes(value.text) : in_quotes(value.text);
}

tl::unexpected<Fault> fault(std::string_view expected, const Value& value, std::string hint = "") {
  return tl::unexpected(Fault{fmt::format("expected {}, found {}", expected, found(value)), std::move(hint)});
}

bool is_bare(const Value& value) { return value.kind == Value::Kind::scalar && !value.quoted; }

bool has_leading_zero(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
}

/// A finite decimal number that is the whole text.
std::optional<double> decimal(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool digit_last = !text.empty() && text.back() >= '0' && text.back() <= '9';
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number) || has_leading_zero(text) ||
      !digit_last)
    return std::nullopt;
  return number;
}

}  // namespace

Parsed<std::string> text_of(const Value& value) {
  if (value.kind != Value::Kind::scalar) return fault("a text", value);
  return value.text;
}

Parsed<bool> boolean_of(const Value& value) {
  if (is_bare(value) && value.text == "true") return true;
  if (is_bare(value) && value.text == "false") return false;
  return fault("true or false", value);
}

Parsed<std::int64_t> whole_number_of(const Value& value, std::int64_t least, std::int64_t most) {
  constexpr std::string_view kExpected = "a whole number";
  if (!is_bare(value)) return fault(kExpected, value, value.quoted ? "remove the quotes" : "");
  if (has_leading_zero(value.text)) return fault(kExpected, value, "remove the leading zero; YAML may read it as octal");
  std::int64_t number = 0;
  const char* last = value.text.data() + value.text.size();
  const auto [end, error] = std::from_chars(value.text.data(), last, number);
  if (end != last || error == std::errc::invalid_argument) return fault(kExpected, value);
  if (error != std::errc{} || number < least || number > most)
    return fault(fmt::format("a whole number from {} to {}", least, most), value);
  return number;
}

Parsed<double> number_of(const Value& value, double least, double most) {
  constexpr std::string_view kExpected = "a number";
  if (!is_bare(value)) return fault(kExpected, value, value.quoted ? "remove the quotes" : "");
  const auto number = decimal(value.text);
  if (!number) return fault(kExpected, value);
  if (*number < least || *number > most) return fault(fmt::format("a number from {:g} to {:g}", least, most), value);
  return *number;
}

Parsed<std::chrono::milliseconds> duration_of(const Value& value) {
  constexpr std::string_view kExpected = "a duration such as 500ms, 90s, 30m or 1.5h";
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"ms", 1.0}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}}};
  constexpr double kLongest_ms = 30 * 86400e3;
  if (value.kind != Value::Kind::scalar) return fault(kExpected, value);
  const std::string_view text = value.text;
  for (const auto& [unit, unit_ms] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto amount = decimal(text.substr(0, text.size() - unit.size()));
    if (!amount) continue;
    if (*amount < 0 || *amount * unit_ms > kLongest_ms) return fault("a duration from 0s to 30d", value);
    return std::chrono::milliseconds(std::llround(*amount * unit_ms));
  }
  return fault(kExpected, value, decimal(text).value_or(0) > 0 ? fmt::format("add the unit, for example `{}s`", text) : "");
}

Parsed<double> share_of(const Value& value) {
  constexpr std::string_view kExpected = "a percentage such as 0.5%";
  if (value.kind != Value::Kind::scalar) return fault(kExpected, value);
  const std::string_view text = value.text;
  if (const auto bare = decimal(text))
    return fault(kExpected, value,
                 *bare > 0 && *bare < 1 ? fmt::format("write `{}%`, or `{:g}%` if a fraction is meant", text, *bare * 100)
                                        : "write it with %");
  if (!text.ends_with('%')) return fault(kExpected, value);
  std::string_view number = text.substr(0, text.size() - 1);
  if (number.ends_with(' ')) number.remove_suffix(1);
  const auto percent = decimal(number);
  if (!percent) return fault(kExpected, value);
  if (*percent <= 0 || *percent >= 100) return fault("a percentage above 0% and below 100%", value);
  return *percent / 100;
}

Parsed<double> increase_of(const Value& value) {
  constexpr std::string_view kExpected = "an increase such as +10%";
  if (value.kind != Value::Kind::scalar) return fault(kExpected, value);
  std::string_view text = value.text;
  if (!text.starts_with('+') || !text.ends_with('%')) return fault(kExpected, value, "write it with + and %");
  text = text.substr(1, text.size() - 2);
  if (text.ends_with(' ')) text.remove_suffix(1);
  const auto percent = decimal(text);
  if (!percent || *percent < 0) return fault(kExpected, value);
  if (*percent > 1000) return fault("an increase of at most +1000%", value);
  return *percent / 100;
}

}  // namespace bisectd::configs
