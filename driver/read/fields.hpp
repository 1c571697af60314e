// Finds "key: value" in a line of a log, and the loss scale where a framework says that it changes it. Knows no format; how
// numbers are spelt, driver/learn/value.hpp knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "driver/learn/value.hpp"
#include "driver/read/line.hpp"
#include "driver/read/sieve.hpp"

namespace bisectd::driver::read {

/// As text.find(what, from), for lines: most candidates fall at their second byte, without a call. `what` is not empty.
std::size_t find_in_line(std::string_view text, std::string_view what, std::size_t from);

/// The text right after `key` and its separator: after spaces, a closing quote, one ':' or '=', spaces, an opening
/// quote. `key` must not continue a word to its left, so that "loss" is not found in CTCLoss, train_loss or dml-loss.
/// The first such place in the line counts.
std::optional<std::string_view> after_key(std::string_view line, std::string_view key);

/// The word that `text` begins with: up to a space, comma, semicolon, '|', quote or closing bracket.
std::string_view first_word(std::string_view text);

/// The whole text is a number, finite or not. A word that says that there is none ("None", "n/a") is none, and so is what
/// has a unit.
std::optional<double> number(std::string_view text);

/// The same whole number; one that a double does not hold exactly is none.
std::optional<std::int64_t> whole_number(std::optional<double> number);

/// What is wrong with `word`, a part of `line`, if it is the beginning of a number that is printed with commas: the 9 of
/// "9,332.8". Empty: nothing.
std::string_view cut_at_comma(std::string_view line, std::string_view word);

/// The number a text begins with, whatever follows it: "[4.5]", "3.1 (mean)".
std::optional<double> leading_number(std::string_view text);

/// A step or an epoch, perhaps with the number of all: "140", "20/500", "[  1/ 200]". It begins at `at`; spaces, ':', '=',
/// quotes and opening brackets before it are skipped.
std::optional<learn::FoundValue> count_at(std::string_view line, std::size_t at);

/// `key` as after_key() finds it, then a count; between the two there may also be nothing but spaces or a bracket.
std::optional<learn::FoundValue> count_after(std::string_view line, std::string_view key);

/// The scale that the line tells, finite and above 0: the new one, or where only the old one is told (PaddlePaddle), that.
std::optional<double> told_scale(const Line& line);

/// What such a line contains.
Needed needed_for_scale();

}  // namespace bisectd::driver::read
