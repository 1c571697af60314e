#include "driver/read/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "driver/learn/value.hpp"

namespace bisectd::driver::read {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `c`, left of a key, makes the key the end of a longer word.
bool continues_word(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

/// A set of characters that is asked in one step; find_first_of() of the library makes a call for each.
class Characters {
 public:
  constexpr explicit Characters(std::string_view all) {
    for (const char c : all) is_in_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool contain(char c) const { return is_in_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> is_in_{};
};

constexpr Characters kBeforeSeparator("'\" ");
constexpr Characters kBeforeValue(" \t'\"");
constexpr Characters kBeforeProgress(" \t:='\"[(");
constexpr Characters kWordEnd(" \t,;|'\")]}");
constexpr Characters kBeforeNumber("[( ");
constexpr Characters kSpace(" ");

std::string_view without_leading(std::string_view text, const Characters& characters) {
  std::size_t first = 0;
  while (first < text.size() && characters.contain(text[first])) ++first;
  return text.substr(first);
}

/// Calls `accept` with what follows each place where `key` starts a word, until it returns something.
template <class Accept>
auto after_word(std::string_view line, std::string_view key, Accept accept) -> decltype(accept(line)) {
  constexpr std::size_t kNowhere = std::string_view::npos;
  for (std::size_t at = find_in_line(line, key, 0); at != kNowhere; at = find_in_line(line, key, at + 1)) {
    if (at > 0 && continues_word(line[at - 1])) continue;
    if (auto found = accept(line.substr(at + key.size()))) return found;
  }
  return std::nullopt;
}

/// "nanxxx" (padded), "1.#QNAN"; a word that says that there is no value ("None", "n/a") is none.
std::optional<double> in_another_spelling(std::string_view text) {
  const auto found = learn::as_value(text);
  if (!found || !found->value || std::isfinite(found->value->number)) return std::nullopt;
  const char second = text.size() > 1 ? text[1] : ' ';
  const bool says_none = (text[0] | 0x20) == 'n' && (second | 0x20) != 'a';
  return says_none ? std::nullopt : std::optional(found->value->number);
}

}  // namespace

std::size_t find_in_line(std::string_view text, std::string_view what, std::size_t from) {
  for (std::size_t at = text.find(what[0], from); at < text.size(); at = text.find(what[0], at + 1)) {
    if (what.size() > text.size() - at) break;
    if (what.size() > 1 && text[at + 1] != what[1]) continue;
    if (text.substr(at, what.size()) == what) return at;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> after_key(std::string_view line, std::string_view key) {
  return after_word(line, key, [](std::string_view rest) -> std::optional<std::string_view> {
    rest = without_leading(rest, kBeforeSeparator);
    if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) return std::nullopt;
    return without_leading(rest.substr(1), kBeforeValue);
  });
}

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && !kWordEnd.contain(text[end])) ++end;
  return text.substr(0, end);
}

std::optional<double> number(std::string_view text) {
  bool negative = false;
  std::string_view magnitude = text;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text[0] == '-';
    magnitude.remove_prefix(1);
    if (magnitude.starts_with('-')) return std::nullopt;  // from_chars would take a second sign
  }
  double value = 0;
  const auto [end, error] = std::from_chars(magnitude.data(), magnitude.data() + magnitude.size(), value);
  if (error == std::errc::invalid_argument || end != magnitude.data() + magnitude.size()) {
    const auto other = in_another_spelling(magnitude);
    if (!other) return std::nullopt;
    value = *other;
  }
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(magnitude).c_str(), nullptr);
  return negative ? -value : value;
}

std::string_view cut_at_comma(std::string_view line, std::string_view word) {
  const std::string_view rest = line.substr(static_cast<std::size_t>(word.data() + word.size() - line.data()));
  if (!rest.starts_with(',')) return "";
  if (word.starts_with('-')) word.remove_prefix(1);
  constexpr std::size_t kGroup = 4;  // a comma and three digits
  const bool goes_on = !word.empty() && word.size() < kGroup && std::ranges::all_of(word, is_digit) &&
                       rest.size() >= kGroup && std::ranges::all_of(rest.substr(1, kGroup - 1), is_digit) &&
                       (rest.size() == kGroup || !is_digit(rest[kGroup]));
  return goes_on ? "the value has a comma between thousands, or another number follows it without a space: print numbers "
                   "without commas"
                 : "";
}

std::optional<double> leading_number(std::string_view text) {
  text = without_leading(text, kBeforeNumber);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<StepCount> progress(std::string_view text) {
  const auto take_digits = [](std::string_view& from, std::int64_t& value) {
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc() || from[0] == '-') return std::string_view();
    const std::string_view digits = from.substr(0, static_cast<std::size_t>(end - from.data()));
    from.remove_prefix(digits.size());
    return digits;
  };
  StepCount found;
  found.rest = without_leading(text, kBeforeProgress);
  found.digits = take_digits(found.rest, found.at);
  if (found.digits.empty()) return std::nullopt;
  std::string_view behind = without_leading(found.rest, kSpace);
  if (!behind.starts_with('/')) return found;
  behind = without_leading(behind.substr(1), kSpace);
  std::int64_t of = 0;
  if (take_digits(behind, of).empty()) return found;
  found.of = of;
  found.rest = behind;
  return found;
}

std::optional<StepCount> progress_after(std::string_view line, std::string_view key) {
  return after_word(line, key, [](std::string_view rest) -> std::optional<StepCount> {
    if (rest.empty() || continues_word(rest[0])) return std::nullopt;
    return progress(rest);
  });
}

}  // namespace bisectd::driver::read
