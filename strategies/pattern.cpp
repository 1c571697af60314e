#include "strategies/pattern.hpp"

#include <bit>

namespace bisectd::strategies {

std::size_t count_of(const Pattern& pattern) {
  std::size_t count = 0;
  for (std::uint64_t word : pattern) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

Pattern both(const Pattern& a, const Pattern& b) {
  Pattern common = a;
  for (std::size_t i = 0; i < common.size(); ++i) common[i] &= b[i];
  return common;
}

Pattern without(const Pattern& a, const Pattern& b) {
  Pattern left = a;
  for (std::size_t i = 0; i < left.size(); ++i) left[i] &= ~b[i];
  return left;
}

bool are_together(const Pattern& a, const Pattern& b, const Pattern& pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if ((a[i] & b[i]) != pattern[i]) return false;
  return true;
}

std::vector<std::size_t> rows_of(const Pattern& pattern) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (std::uint64_t word = pattern[i]; word != 0; word &= word - 1)
      rows.push_back(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
  return rows;
}

void Activity::add(const SuspectSet& active) {
  for (SuspectId suspect = 0; suspect < patterns_.size(); ++suspect) {
    if (trials_ % 64 == 0) patterns_[suspect].push_back(0);
    if (active.test(suspect)) patterns_[suspect].back() |= std::uint64_t{1} << (trials_ % 64);
  }
  ++trials_;
}

Pattern Activity::of(const std::vector<SuspectId>& members) const {
  Pattern all((trials_ + 63) / 64, ~std::uint64_t{0});
  if (trials_ % 64 != 0) all.back() = (std::uint64_t{1} << trials_ % 64) - 1;
  for (SuspectId member : members)
    for (std::size_t word = 0; word < all.size(); ++word) all[word] &= patterns_[member][word];
  return all;
}

}  // namespace bisectd::strategies
