// See noise.hpp. Formulas: pooled two-sample t with equal variances, as in any textbook.
#include "driver/judge/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

double sum_of_products(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [=](double x, double y) { return (x - mean_a) * (y - mean_b); });
}

}  // namespace

Spread& Spread::operator+=(const Spread& other) {
  last += other.last;
  before += other.before;
  both += other.both;
  dof += other.dof;
  identical += other.identical;
  return *this;
}

Spread spread_of(std::span<const double> last, std::span<const double> before) {
  if (last.size() < 2) return {};
  if (before.empty()) before = last;  // counts as fully correlated, so it adds nothing
  return {sum_of_products(last, last), sum_of_products(before, before), sum_of_products(last, before),
          static_cast<int>(last.size()) - 1, 0};
}

Variance variance_of(const Spread& spread) {
  if (spread.dof == 0) return {};
  const double squares = spread.last * spread.before;
  const double rho2 = squares > 0 ? std::min(1.0, spread.both * spread.both / squares) : 1.0;
  return {(spread.last + spread.before) / 2 / spread.dof, 2 * spread.dof / (1 + rho2)};
}

StandardError standard_error(const Variance& variance, int m, int n, double floor) {
  return {std::sqrt(std::max(variance.value, floor) * (1.0 / n + 1.0 / m)), variance.dof};
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
