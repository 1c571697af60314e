#include "strategies/set_index.hpp"

#include <bit>

namespace bisectd::strategies {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

void Marks::set(std::size_t number, bool marked) {
  if (number / kBits >= blocks_.size()) blocks_.resize(number / kBits + 1, 0);
  const std::uint64_t bit = std::uint64_t{1} << (number % kBits);
  if (marked) blocks_[number / kBits] |= bit;
  else blocks_[number / kBits] &= ~bit;
}

void SetIndex::add(const SuspectSet& set) {
  const std::size_t block = size_ / kBits;
  if (size_ % kBits == 0) having_.resize((block + 1) * suspects_, 0);
  const std::uint64_t bit = std::uint64_t{1} << (size_++ % kBits);
  for (const SuspectId suspect : members_of(set)) having_[block * suspects_ + suspect] |= bit;
}

/// What is left of the marked sets after a step for each member.
template <class Step>
std::vector<std::size_t> SetIndex::left_by(const std::vector<SuspectId>& members, const Marks& marked, Step step) const {
  std::vector<std::size_t> numbers;
  for (std::size_t block = 0; block * kBits < size_; ++block) {
    std::uint64_t left = marked.block(block);
    for (const SuspectId suspect : members) {
      if (left == 0) break;
      left = step(left, having_[block * suspects_ + suspect]);
    }
    for (; left != 0; left &= left - 1) numbers.push_back(block * kBits + static_cast<std::size_t>(std::countr_zero(left)));
  }
  return numbers;
}

std::vector<std::size_t> SetIndex::holding(const SuspectSet& set, const Marks& marked) const {
  return left_by(members_of(set), marked, [](std::uint64_t left, std::uint64_t having) { return left & having; });
}

std::vector<std::size_t> SetIndex::within(const SuspectSet& set, const Marks& marked) const {
  return left_by(members_of(~set), marked, [](std::uint64_t left, std::uint64_t having) { return left & ~having; });
}

}  // namespace bisectd::strategies
