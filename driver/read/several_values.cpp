#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <cmath>
#include <utility>

#include "driver/read/fields.hpp"
#include "driver/read/rules.hpp"

namespace bisectd::driver::read {
namespace {

constexpr std::size_t kLines = 1000;  ///< that are looked at: a log that holds two losses shows both early
constexpr std::size_t kSteps = 3;     ///< an evaluation may print a second line for a step now and then

/// What stands before `value` in its line and fits a pattern of one group; empty: nothing does.
std::string_view before(std::string_view line, std::string_view value, const re2::RE2& what) {
  const re2::StringPiece text(line.data(), static_cast<std::size_t>(value.data() - line.data()));
  re2::StringPiece found;
  return re2::RE2::PartialMatch(text, what, &found) ? std::string_view(found.data(), found.size()) : std::string_view();
}

/// "loss" of "box loss: 1.2".
std::string_view name_of(std::string_view line, std::string_view value) {
  static const re2::RE2 name(R"((\w+)\W*$)");
  return before(line, value, name);
}

/// "box loss: 1.2"
std::string with_name(std::string_view line, std::string_view value) {
  static const re2::RE2 names(R"(((?:\b[A-Za-z]\w*\W+)?\w+\W*)$)");
  return fmt::format("{}{}", before(line, value, names), value);
}

/// Without digits: they tell kinds of lines apart.
std::string words_of(std::string_view text) {
  static const re2::RE2 number(R"(\b\d\w*)");  // 1e-05 holds no word
  static const re2::RE2 no_word("[^A-Za-z]+");
  std::string words(text);
  re2::RE2::GlobalReplace(&words, number, "");
  re2::RE2::GlobalReplace(&words, no_word, " ");
  return boost::trim_copy(words);
}

}  // namespace

std::optional<std::string> other_value(Pattern& pattern, std::string_view line, std::string_view value) {
  const std::string_view name = name_of(line, value);
  if (std::ranges::none_of(name, [](unsigned char c) { return std::isalpha(c) != 0; })) return std::nullopt;
  std::string rest(line);
  std::fill(rest.begin() + (name.data() - line.data()), rest.begin() + (value.data() + value.size() - line.data()), ' ');
  const auto groups = pattern.match(rest);
  if (groups.empty()) return std::nullopt;
  const std::string_view other = groups[0], other_name = name_of(rest, other);
  // A pattern that takes "loss" takes "kl_loss", too.
  const bool alike = boost::iends_with(name, other_name) || boost::iends_with(other_name, name);
  if (!number(other) || other == value || other_name.empty() || !alike) return std::nullopt;
  return fmt::format(
      "the pattern fits '{}' and '{}': only one of them would be compared; write a pattern that fits the loss that "
      "matters alone",
      with_name(line, value), with_name(rest, other));
}

std::optional<std::string> StepsInTwoKinds::look(std::string_view line, double value, std::int64_t step) {
  if (++lines_ > kLines) return std::nullopt;
  std::string words = words_of(line);
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
