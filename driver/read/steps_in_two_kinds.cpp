#include "driver/read/steps_in_two_kinds.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <utility>

namespace bisectd::driver::read {
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
