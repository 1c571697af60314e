#include "strategies/signatures/rows.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::strategies::signatures {
namespace {

constexpr double kLoud = 10;  // healthy spreads
constexpr std::ptrdiff_t kLoudSteps = 3;

}  // namespace

void Rows::add(const SuspectSet& active, const std::vector<double>& signature) {
  if (signature.empty() || (!signatures_.empty() && signature.size() != steps())) return;
  active_.push_back(active);
  signatures_.push_back(signature);
  active_in_both_.emplace_back();
  for (const SuspectSet& other : active_) active_in_both_.back().push_back((active & other).count());
  patterns_.add(active);
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

}  // namespace bisectd::strategies::signatures
