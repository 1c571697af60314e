// Picks the few lines of a huge log that may matter, by the literals such a line must contain. Nearly all time of
// reading a log is spent here, so that patterns and readers see few lines. Knows no patterns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {

/// A text to be found. Not empty.
struct Literal {
  std::string text;          ///< in lower case if `ignore_case`
  bool ignore_case = false;  ///< of ASCII letters

  bool operator==(const Literal&) const = default;
};

/// Whether `text` holds the literal at `at`, which is in `text`.
bool holds_at(std::string_view text, std::size_t at, const Literal& literal);

/// A gram is four bytes that follow each other. Of `stride` grams that begin at places next to each other, one begins at a
/// multiple of `stride`: so a text holds a literal only if one of the literal's last `stride` grams is at such a place, and
/// the others need not be looked at (sampled q-grams: Sutinen and Tarhio, "On using q-gram locations in approximate string
/// matching", 1995, for exact matches). A dozen literals cost what one costs.
class Grams {
 public:
  /// Shorter ones are found faster one by one: the stride would be too small (tests/bench/reading.cpp).
  static constexpr std::size_t kShortestLiteral = 7;

  /// None is shorter than kShortestLiteral.
  explicit Grams(std::vector<Literal> literals = {});

  /// Start of an occurrence that starts at `from` or later, npos without one. The occurrences that start before it end
  /// behind its first gram.
  std::size_t find(std::string_view text, std::size_t from) const;

 private:
  static constexpr std::size_t kGramBytes = 4;
  static constexpr int kSlotBits = 12;  // 8 KiB: stays in the first-level cache

  struct Entry {
    std::size_t literal = 0;  ///< index
    std::size_t offset = 0;   ///< of the gram in it
  };
  static std::size_t slot_of(const char* gram);
  /// First of the places `at`, `at` + stride, ... that holds a gram of a literal; close to the text's end or beyond it:
  /// none.
  std::size_t next_gram(std::string_view text, std::size_t at) const;

  std::vector<Literal> literals_;
  std::size_t stride_ = 1;
  std::array<std::uint16_t, std::size_t{1} << kSlotBits> slots_{};  ///< 1 + index in `entries_`; 0: no gram
  std::vector<std::vector<Entry>> entries_;
};

/// Each line that matters to somebody contains at least one of `literals`, or nobody can tell: `any_line`.
struct Needed {
  bool any_line = false;
  std::vector<Literal> literals;
};

class Sieve {
 public:
  void add(const Needed& needed);

  /// Hands on, in order, at least each line that contains one of the literals, once, cleaned. Lines with a terminal
  /// escape are always handed on: it may split a literal.
  void pick(const Block& block, const TakeLine& take) const;

 private:
  bool any_line_ = false;
  std::vector<Literal> literals_;  ///< all
  std::vector<Literal> short_;     ///< those too short for `long_`
  Grams long_;
};

}  // namespace bisectd::driver::read
