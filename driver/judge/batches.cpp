// Whether two runs saw the same batches.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "driver/judge/level.hpp"
#include "driver/judge/reference.hpp"

namespace bisectd::driver::judge {
namespace {

/// Second differences, each cut at twice their middle size: the first fall of a loss is no batch.
std::vector<double> bends(std::span<const double> values) {
  std::vector<double> result, sizes;
  for (std::size_t i = 0; i + 2 < values.size(); ++i) {
    result.push_back(values[i] - 2 * values[i + 1] + values[i + 2]);
    sizes.push_back(std::abs(result.back()));
  }
  const double most = 2 * quantile(sizes, 0.5);
  for (double& bend : result) bend = std::clamp(bend, -most, most);
  return result;
}

/// Correlation of the second differences, -1 to 1.
double likeness(std::span<const double> one, std::span<const double> other) {
  const std::vector<double> a = bends(one), b = bends(other);
  const double size = std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0)) *
                      std::sqrt(std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
  return size > 0 ? std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / size : 0;
}

}  // namespace

Batches batches_of(std::span<const double> one, std::span<const double> other) {
  // Of runs with other dropout masks (`worlds`, 27 of them) the most alike had 0.95, of healthy devices the least alike 0.9,
  // and of faulty ones many less; another order of the data leaves less than 0.3.
  constexpr double kFirstAgrees = 0.003, kAlike = 0.95, kUnlike = 0.5;
  constexpr std::size_t kBeginning = 16;
  const std::size_t points = std::min(one.size(), other.size()), beginning = std::min(points, kBeginning);
  if (points < 4) return Batches::others;
  const std::size_t third = std::max(points / 3, beginning);
  if (std::abs(one.front() - other.front()) <= kFirstAgrees * roughness(other.first(third))) return Batches::same;
  const double alike =
      std::min(likeness(one.first(third), other.first(third)), likeness(one.first(beginning), other.first(beginning)));
  return alike >= kAlike ? Batches::same : alike >= kUnlike ? Batches::alike : Batches::others;
}

}  // namespace bisectd::driver::judge
