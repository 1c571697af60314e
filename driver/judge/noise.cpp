// See noise.hpp. Formulas: pooled two-sample t with equal variances, as in any textbook.
#include "driver/judge/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace bisectd::driver::judge {
namespace {

double sum_of_squares(std::span<const double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

void NoisePool::add(const Spread& spread) {
  total.sum_squares += spread.sum_squares;
  total.dof += spread.dof;
  total.identical += spread.identical;
}

Spread spread_of(std::span<const double> levels) {
  if (levels.size() < 2) return {};
  return {sum_of_squares(levels), static_cast<double>(levels.size()) - 1, 0};
}

StandardError pooled_error(const Spread& references, const Spread& candidates, const Spread& pool, int m, int n,
                           double floor_variance) {
  const double dof = references.dof + candidates.dof + pool.dof;
  const double variance = (references.sum_squares + candidates.sum_squares + pool.sum_squares) / dof;
  return {std::sqrt(std::max(variance, floor_variance) * (1.0 / n + 1.0 / m)), dof};
}

WithinRun within_run(std::span<const double> differences) {
  const std::size_t batches = std::min<std::size_t>(10, differences.size() / 2);
  if (batches < 2) return {};
  std::vector<double> means;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t from = b * differences.size() / batches;
    const std::size_t to = (b + 1) * differences.size() / batches;
    const auto batch = differences.subspan(from, to - from);
    means.push_back(std::accumulate(batch.begin(), batch.end(), 0.0) / static_cast<double>(batch.size()));
  }
  const double dof = static_cast<double>(batches) - 1;
  return {sum_of_squares(means) / dof / static_cast<double>(batches), dof};
}

double t_quantile(double alpha, double dof) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(dof), alpha));
}

double probability_beyond(double target, double difference, const StandardError& error, bool one_sided) {
  const double size = one_sided ? difference : std::abs(difference);
  if (error.dof == 0 || error.value == 0) return size > target ? 1.0 : 0.0;
  const boost::math::students_t t(error.dof);
  const double above = boost::math::cdf(boost::math::complement(t, (target - difference) / error.value));
  if (one_sided) return above;
  return std::min(1.0, above + boost::math::cdf(t, (-target - difference) / error.value));
}

}  // namespace bisectd::driver::judge
