#include "strategies/signatures/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bisectd::strategies::signatures {
namespace {

constexpr double kLoud = 10;  // healthy spreads
constexpr std::ptrdiff_t kLoudSteps = 3;

}  // namespace

void Rows::add(const SuspectSet& active, const std::vector<double>& signature) {
  if (signature.empty() || (!signatures_.empty() && signature.size() != steps())) return;
  const std::size_t row = size();
  active_.push_back(active);
  signatures_.push_back(signature);
  active_in_both_.emplace_back();
  for (const SuspectSet& other : active_) active_in_both_.back().push_back((active & other).count());
  if (patterns_.empty()) patterns_.resize(suspects_);
  for (SuspectId suspect = 0; suspect < suspects_; ++suspect) {
    if (row % 64 == 0) patterns_[suspect].push_back(0);
    if (active.test(suspect)) patterns_[suspect][row / 64] |= std::uint64_t{1} << (row % 64);
  }
}

Pattern Rows::pattern(const std::vector<SuspectId>& members) const {
  Pattern all = patterns_[members.front()];
  for (SuspectId member : members) all = both(all, patterns_[member]);
  return all;
}

Pattern Rows::everywhere() const {
  Pattern all((size() + 63) / 64, ~std::uint64_t{0});
  if (size() % 64 != 0) all.back() = (std::uint64_t{1} << size() % 64) - 1;
  return all;
}

Matrix Rows::whitened(const std::vector<double>& whole, double share) const {
  Matrix y(size(), steps());
  for (std::size_t step = 0; step < steps(); ++step) {
    const double part = share * whole[step], unit = std::sqrt(1 + part * part);
    for (std::size_t row = 0; row < size(); ++row) y(row, step) = signatures_[row][step] / unit;
  }
  return y;
}

bool differs_clearly(const std::vector<double>& signature) {
  return std::ranges::count_if(signature, [](double difference) { return std::abs(difference) >= kLoud; }) >= kLoudSteps;
}

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

}  // namespace bisectd::strategies::signatures
