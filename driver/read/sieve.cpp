#include "driver/read/sieve.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {

namespace {

constexpr std::size_t kLongestStride = 16;  // a longer one gains nothing and has more grams to look up

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool holds_at(std::string_view text, std::size_t at, const Literal& literal) {
  if (literal.text.size() > text.size() - at) return false;
  const std::string_view here = text.substr(at, literal.text.size());
  return literal.ignore_case ? std::ranges::equal(here, literal.text, {}, lower) : here == literal.text;
}

Grams::Grams(std::vector<Literal> literals) : literals_(std::move(literals)) {
  if (literals_.empty()) return;
  const auto length = [](const Literal& literal) { return literal.text.size(); };
  stride_ = std::min(length(std::ranges::min(literals_, {}, length)) - kGramBytes + 1, kLongestStride);
  for (std::size_t i = 0; i < literals_.size(); ++i) {
    const std::string& text = literals_[i].text;
    for (std::size_t back = 0; back < stride_; ++back) {
      const std::size_t offset = text.size() - kGramBytes - back;
      std::uint16_t& slot = slots_[slot_of(text.data() + offset)];
      if (slot == 0) {
        entries_.emplace_back();
        slot = static_cast<std::uint16_t>(entries_.size());
      }
      entries_[slot - 1u].push_back({.literal = i, .offset = offset});
    }
  }
}

std::size_t Grams::slot_of(const char* gram) {
  constexpr std::uint32_t kLowerCase = 0x20202020;  // of letters; of other bytes some become the same, which does no harm
  constexpr std::uint32_t kGoldenRatio = 2'654'435'769;  // of 2^32: Knuth's multiplicative hash
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, gram, kGramBytes);
  return ((bytes | kLowerCase) * kGoldenRatio) >> (32 - kSlotBits);
}

// Nearly everywhere there is none, so four places are asked at once: that saves an eighth of the time of reading a log that
// is mostly nothing (tests/bench/reading.cpp, "each API call").
std::size_t Grams::next_gram(std::string_view text, std::size_t at) const {
  const auto slot = [&](std::size_t strides) { return slots_[slot_of(text.data() + at + strides * stride_)]; };
  while (at + 3 * stride_ + kGramBytes <= text.size() && (slot(0) | slot(1) | slot(2) | slot(3)) == 0) at += 4 * stride_;
  while (at + kGramBytes <= text.size() && slot(0) == 0) at += stride_;
  return at;
}

std::size_t Grams::find(std::string_view text, std::size_t from) const {
  if (entries_.empty()) return std::string_view::npos;
  for (std::size_t at = next_gram(text, from); at + kGramBytes <= text.size(); at = next_gram(text, at + stride_))
    for (const Entry& entry : entries_[slots_[slot_of(text.data() + at)] - 1u])
      if (at >= from + entry.offset && holds_at(text, at - entry.offset, literals_[entry.literal])) return at - entry.offset;
  return std::string_view::npos;
}

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Walks through the occurrences of one literal in a text.
class Occurrences {
 public:
  Occurrences(const Literal& literal, std::string_view text) : literal_(literal), text_(text) {
    const char first = literal.text[0];
    bytes_ = {first, literal.ignore_case ? upper(first) : first};
    next_ = {text.find(bytes_[0]), bytes_[1] == bytes_[0] ? kNowhere : text.find(bytes_[1])};
    advance(0);
  }

  /// Where the present occurrence starts; kNowhere after the last.
  std::size_t at() const { return at_; }

  /// Goes to the first occurrence that starts at `from` or later.
  void advance(std::size_t from) {
    for (at_ = next_byte(from); at_ != kNowhere && !holds_at(text_, at_, literal_);) at_ = next_byte(at_ + 1);
  }

 private:
  std::size_t next_byte(std::size_t from) {
    for (std::size_t i = 0; i < next_.size(); ++i)
      if (next_[i] < from) next_[i] = text_.find(bytes_[i], from);
    return std::min(next_[0], next_[1]);
  }

  const Literal& literal_;
  std::string_view text_;
  std::array<char, 2> bytes_{};        ///< the literal's first, in both cases if case is ignored
  std::array<std::size_t, 2> next_{};  ///< where each comes next
  std::size_t at_ = 0;
};

}  // namespace

void Sieve::add(const Needed& needed) {
  any_line_ = any_line_ || needed.any_line;
  for (const Literal& literal : needed.literals)
    if (std::ranges::find(literals_, literal) == literals_.end()) literals_.push_back(literal);
  short_.clear();
  std::vector<Literal> longer;
  for (const Literal& literal : literals_)
    (literal.text.size() < Grams::kShortestLiteral ? short_ : longer).push_back(literal);
  long_ = Grams(std::move(longer));
}

void Sieve::pick(const Block& block, const TakeLine& take) const {
  if (any_line_) return for_each_line(block, take);
  if (literals_.empty()) return;
  static const Literal kEscape{.text = "\x1b"};
  const bool plain = block.contents.is_plain;
  const bool has_returns = block.contents.has_returns;  // most logs have none
  const auto after_last = [&](char wanted, std::size_t from, std::size_t to) {
    const void* found = ::memrchr(block.text.data() + from, wanted, to - from);
    return found == nullptr ? from : static_cast<std::size_t>(static_cast<const char*>(found) - block.text.data()) + 1;
  };
  std::vector<Occurrences> occurrences;
  for (const Literal& literal : short_) occurrences.emplace_back(literal, block.text);
  if (!plain) occurrences.emplace_back(kEscape, block.text);
  std::string scratch;
  std::size_t from = 0;  // start of the first line not yet looked at
  std::size_t next_long = long_.find(block.text, 0);
  while (true) {
    std::size_t hit = next_long;
    for (const Occurrences& each : occurrences) hit = std::min(hit, each.at());
    if (hit == kNowhere) return;
    std::size_t start = after_last('\n', from, hit);
    std::size_t end = std::min(block.text.find('\n', hit), block.text.size());
    if (has_returns) {
      start = after_last('\r', start, hit);
      end = std::min(block.text.substr(0, end).find('\r', hit), end);
    }
    const std::string_view raw = block.text.substr(start, end - start);
    const std::string_view text = plain ? raw : cleaned(raw, scratch);
    if (!text.empty()) take({.text = text, .block = &block, .offset = start});
    from = std::min(end + 1, block.text.size());
    for (Occurrences& each : occurrences)
      if (each.at() < from) each.advance(from);
    if (next_long < from) next_long = long_.find(block.text, from);
  }
}

}  // namespace bisectd::driver::read
