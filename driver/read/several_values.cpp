#include "driver/read/several_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "driver/read/fields.hpp"

namespace bisectd::driver::read {

namespace {

constexpr std::size_t kLines = 1000;  ///< that are looked at: a log that holds two losses shows both early

bool is_alphabetic(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The word before place `at`, beyond spaces and signs such as ':' and '='; empty where there is none.
std::string_view word_before(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && !is_of_word(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_of_word(line[begin - 1])) --begin;
  return line.substr(begin, end - begin);
}

std::size_t place_of(std::string_view part, std::string_view line) {
  return static_cast<std::size_t>(part.data() - line.data());
}

/// Whether one name ends with the other: a pattern that takes "loss" takes "kl_loss", too.
bool are_alike(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return std::ranges::equal(a.substr(a.size() - b.size()), b,
                            [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// The value with its name and the word before that: "box loss: 1.2".
std::string_view with_name(std::string_view line, std::string_view value) {
  std::string_view name = word_before(line, place_of(value, line));
  const std::string_view before = word_before(line, place_of(name, line));
  if (!before.empty() && is_alphabetic(before[0])) name = before;
  const std::size_t begin = place_of(name, line);
  return line.substr(begin, place_of(value, line) + value.size() - begin);
}

/// Another number of the line with such a name, which the pattern takes where the first one is not there.
std::optional<std::string> other_value(Pattern& pattern, std::string_view line, std::string_view value) {
  const std::string_view name = word_before(line, place_of(value, line));
  if (std::ranges::none_of(name, is_alphabetic)) return std::nullopt;
  std::string rest(line);
  const std::size_t from = place_of(name, line);
  std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(from), place_of(value, line) + value.size() - from, ' ');
  const auto groups = pattern.match(rest);
  if (groups.empty()) return std::nullopt;
  const std::string_view other = groups[0];
  const std::string_view other_name = word_before(rest, place_of(other, rest));
  if (!number(other) || other == value || other_name.empty() || !are_alike(other_name, name)) return std::nullopt;
  return fmt::format(
      "the pattern fits '{}' and '{}': only one of them would be compared; write a pattern that fits the loss that "
      "matters alone",
      with_name(line, value), with_name(rest, other));
}

}  // namespace

std::optional<std::string> SeveralValues::look(Pattern& pattern, std::string_view line, std::string_view value,
                                               std::optional<std::int64_t> step) {
  if (++lines_ > kLines) return std::nullopt;
  if (auto other = other_value(pattern, line, value)) return other;
  if (!step) return std::nullopt;
  auto kinds = kinds_.look(words_of(line.substr(0, place_of(value, line))), number(value).value_or(0), *step);
  if (kinds) *kinds += "; write a pattern that fits the loss that matters alone";
  return kinds;
}

namespace {

constexpr std::size_t kSteps = 3;  ///< an evaluation may print a second line for a step now and then

}  // namespace

std::string words_of(std::string_view text) {
  std::string words;
  bool in_word = false, in_number = false;
  for (const char c : text) {
    const bool alphabetic = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (!alphabetic && std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '_') {
      in_word = in_number = false;
    } else if (alphabetic && !in_number) {
      if (!in_word && !words.empty()) words += ' ';
      words += c;
      in_word = true;
    } else if (!in_word) {
      in_number = true;  // 1e-05 holds no word
    }
  }
  return words;
}

std::optional<std::string> StepsInTwoKinds::look(std::string words, double value, std::int64_t step) {
  const bool repeated = step == last_step_;
  const bool same = value == last_value_ || (std::isnan(value) && std::isnan(last_value_));
  const bool other = repeated && words != last_words_ && !same;
  if (!repeated && !this_step_counted_) in_a_row_ = 0;
  const bool is_news = other && !this_step_counted_;
  if (is_news) ++in_a_row_;
  this_step_counted_ = other || (repeated && this_step_counted_);
  std::optional<std::string> problem;
  if (is_news && in_a_row_ == kSteps)
    problem = fmt::format("step {} stands in two kinds of lines, '{}' and '{}': only the last would be compared", step,
                          last_words_, words);
  last_step_ = step;
  last_words_ = std::move(words);
  last_value_ = value;
  return problem;
}

}  // namespace bisectd::driver::read
