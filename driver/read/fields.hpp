// Finds "key: value" in a line of a log and reads numbers. Knows no format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bisectd::driver::read {

/// As text.find(what, from), for lines: most candidates fall at their second byte, without a call. `what` is not empty.
std::size_t find_in_line(std::string_view text, std::string_view what, std::size_t from);

/// The text right after `key` and its separator: after spaces, a closing quote, one ':' or '=', spaces, an opening
/// quote. `key` must not continue a word to its left, so that "loss" is not found in CTCLoss, train_loss or dml-loss.
/// The first such place in the line counts.
std::optional<std::string_view> after_key(std::string_view line, std::string_view key);

/// The word that `text` begins with: up to a space, comma, semicolon, '|', quote or closing bracket.
std::string_view first_word(std::string_view text);

/// A whole number or decimal as people and programs print it, the whole text. NaN, infinity and the old 1.#QNAN and
/// 1.#INF are numbers; a number beyond what a double holds is infinite.
std::optional<double> number(std::string_view text);

/// What is wrong with `word`, a part of `line`, if it is the beginning of a number that is printed with commas: the 9 of
/// "9,332.8". Empty: nothing.
std::string_view cut_at_comma(std::string_view line, std::string_view word);

/// The number a text begins with, whatever follows it: "[4.5]", "3.1 (mean)".
std::optional<double> leading_number(std::string_view text);

/// How far a training is: "140", "20/500", "[  1/ 200]".
struct StepCount {
  std::int64_t at = 0;
  std::optional<std::int64_t> of;
  std::string_view digits;  ///< of `at`
  std::string_view rest;    ///< behind it
};

/// Reads what `text` begins with; spaces, ':', '=', quotes and opening brackets before it are skipped.
std::optional<StepCount> progress(std::string_view text);

/// `key` as after_key() finds it, then progress; between the two there may also be nothing but spaces or a bracket.
std::optional<StepCount> progress_after(std::string_view line, std::string_view key);

}  // namespace bisectd::driver::read
