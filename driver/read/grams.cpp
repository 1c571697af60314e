#include "driver/read/grams.hpp"

#include <algorithm>
#include <cstring>

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

}  // namespace bisectd::driver::read
