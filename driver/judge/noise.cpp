// See noise.hpp. Formulas: pooled two-sample t with equal variances, as in any textbook.
#include "driver/judge/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

/// The prior of what is really different: nothing in half of all runs, else something between a sixteenth of the target and
/// 64 times the target, its logarithm uniform, to either side. Trials of a search are like that: without the culprit a run
/// is healthy, with it seldom just at the target. A flat prior overrates what lies at the target: of judgements on the
/// recogniser that it called 50 % bad none was, of those called 81 % bad 43 % were, now 53 % and 75 %, 77 % and 100 %
/// (healthy_devices.py --steps 200 --first-seed 70).
constexpr double kHealthy = 0.5, kLeastHarm = 1.0 / 16, kMostHarm = 64;
constexpr double kCell = 1.189207115002721;  ///< fourth root of 2

double sum_of_products(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [=](double x, double y) { return (x - mean_a) * (y - mean_b); });
}

/// Densities of a difference, weighed with the prior, where there is harm: up to the target, and beyond it.
struct Harm {
  double little = 0, much = 0;
};

// The prior's harm is spread over cells, whose likelihood is exact. Within a cell the density is taken where it is nearest
// to the difference, so that a small error sees the density at the difference itself.
Harm harm_of(double target, double difference, const StandardError& error, bool one_sided) {
  const boost::math::students_t t(error.dof);
  const double most = std::max(kMostHarm * target, 2 * std::abs(difference));
  const double range = std::log(most / (kLeastHarm * target));
  Harm harms;
  for (const double side : {1.0, -1.0}) {
    const double seen = side * difference;  // as if harm were on the positive side
    const auto reached = [&](double harm) {
      return boost::math::cdf(boost::math::complement(t, (harm - seen) / error.value));
    };
    double from = kLeastHarm * target, reached_from = reached(from);
    while (from < most) {
      double to = from * kCell;
      if (from < target && to > target / std::sqrt(kCell)) to = target;
      const double reached_to = reached(to);
      const double density = 1 / (2 * range * std::clamp(seen, from, to));
      (from >= target && (side > 0 || !one_sided) ? harms.much : harms.little) +=
          (1 - kHealthy) * density * (reached_from - reached_to);
      from = to;
      reached_from = reached_to;
    }
  }
  return harms;
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

Variance within_run(std::span<const double> differences) {
  const std::size_t batches = std::min<std::size_t>(10, differences.size() / 2);
  if (batches < 2) return {};
  std::vector<double> means;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t from = b * differences.size() / batches;
    const std::size_t to = (b + 1) * differences.size() / batches;
    means.push_back(mean_of(differences.subspan(from, to - from)));
  }
  const double dof = static_cast<double>(batches) - 1;
  return {sum_of_products(means, means) / dof / static_cast<double>(batches), dof};
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

double probability_of_harm(double target, double difference, const StandardError& error, const HealthyError& healthy,
                           bool one_sided) {
  if (error.dof == 0 || error.value == 0) return probability_beyond(target, difference, error, one_sided);
  const boost::math::students_t t(error.dof);
  const auto density = [&](double deviation) { return boost::math::pdf(t, difference / deviation) / deviation; };
  double none = (1 - healthy.seldom) * density(healthy.usual);
  if (healthy.seldom > 0) none += healthy.seldom * density(healthy.larger);
  const Harm harm = harm_of(target, difference, error, one_sided);
  return harm.much / (kHealthy * none + harm.little + harm.much);
}

}  // namespace bisectd::driver::judge
