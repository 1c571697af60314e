// The likelihood that a search by first steps goes by, against its formula written down naively.
#include <cmath>

#include "strategies/signatures/likelihood.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {
namespace {

using signatures::Rows;
using Dense = std::vector<std::vector<double>>;

/// Rows in which each suspect is active half of the time, with signatures of noise.
Rows random_rows(std::size_t suspects, std::size_t count, std::size_t steps, Random& random) {
  Rows rows(suspects);
  for (std::size_t row = 0; row < count; ++row) {
    SuspectSet set(suspects);
    for (SuspectId suspect = 0; suspect < suspects; ++suspect) set.set(suspect, random.below(2) == 0);
    std::vector<double> signature;
    for (std::size_t step = 0; step < steps; ++step) signature.push_back(20 * random.unit() - 10);
    rows.add(set, signature);
  }
  return rows;
}

/// Inverse and log determinant by elimination with pivots.
std::pair<Dense, double> inverted(Dense a) {
  const std::size_t n = a.size();
  Dense inverse(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) inverse[i][i] = 1;
  double log_determinant = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    std::swap(inverse[i], inverse[pivot]);
    log_determinant += std::log(std::abs(a[i][i]));
    const double unit = a[i][i];
    for (std::size_t c = 0; c < n; ++c) a[i][c] /= unit, inverse[i][c] /= unit;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == i ? 0 : a[r][i];
      for (std::size_t c = 0; c < n; ++c) a[r][c] -= factor * a[i][c], inverse[r][c] -= factor * inverse[i][c];
    }
  }
  return {inverse, log_determinant};
}

/// A model of the rows as one dense covariance.
struct DenseModel {
  const Rows& rows;
  double noise, share, background;
  std::vector<std::pair<Pattern, double>> components = {};

  Dense covariance() const {
    Dense c(rows.size(), std::vector<double>(rows.size(), 0.0));
    for (std::size_t a = 0; a < rows.size(); ++a) {
      double squares = 0;
      for (double step : rows.signature(a)) squares += step * step;
      c[a][a] = noise + share * share * squares / static_cast<double>(rows.steps());
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const auto common = static_cast<double>((rows.active(a) & rows.active(b)).count());
        c[a][b] += background * common / static_cast<double>(rows.suspects());
        for (const auto& [pattern, variance] : components)
          if (holds(pattern, a) && strategies::holds(pattern, b)) c[a][b] += variance;
      }
    }
    return c;
  }
  double nats() const {
    const auto [inverse, log_determinant] = inverted(covariance());
    double squares = 0;
    for (std::size_t step = 0; step < rows.steps(); ++step)
      for (std::size_t a = 0; a < rows.size(); ++a)
        for (std::size_t b = 0; b < rows.size(); ++b)
          squares += rows.signature(a)[step] * inverse[a][b] * rows.signature(b)[step];
    return -0.5 * (static_cast<double>(rows.steps()) * log_determinant + squares);
  }
  signatures::Likelihood likelihood() const {
    signatures::Likelihood made(rows, rows.whitened(std::vector<double>(rows.steps(), 0.0), 0), noise, share, background);
    for (const auto& [pattern, variance] : components) made.add(pattern, variance);
    return made;
  }
};

}  // namespace

TEST_CASE("likelihood: the density of a Gaussian, however its components are added") {
  Random random(8);
  for (int game = 0; game < 40; ++game) {
    const Rows rows = random_rows(12, 2 + random.below(40), 5, random);
    const double background = game % 2 == 0 ? 0 : 2 * random.unit();  // without one, rows are independent
    DenseModel model{rows, 1 + random.unit(), 0.01 * random.unit(), background};
    for (SuspectId suspect = 0; suspect < random.below(12); ++suspect)
      model.components.emplace_back(rows.pattern(suspect), 30 * random.unit());
    CHECK(model.likelihood().nats() == Approx(model.nats()));
  }
}

TEST_CASE("likelihood: a component gains what its best variance adds, and no other variance adds more") {
  Random random(13);
  std::size_t gained = 0;
  for (int game = 0; game < 40; ++game) {
    const Rows rows = random_rows(5, 6, 3, random);
    DenseModel model{rows, 1, 0, game % 2 == 0 ? 0.0 : 1.0};
    if (game % 4 >= 2) model.components = {{rows.everywhere(), 3}, {rows.pattern(random.below(5)), 5}};
    const Pattern pattern = rows.pattern(random.below(5));
    const auto gain = model.likelihood().gain(pattern);
    const double before = model.nats();
    const auto with = [&](double variance) {
      DenseModel more = model;
      more.components.emplace_back(pattern, variance);
      return more.nats() - before;
    };
    CHECK(with(gain.variance) == Approx(gain.nats).margin(1e-9));
    for (double variance : {0.01, 0.1, 1.0, 10.0, 100.0, 0.9 * gain.variance, 1.1 * gain.variance})
      CHECK(with(variance) <= gain.nats + 1e-9);
    gained += gain.nats > 0;
  }
  CHECK(gained > 10);
}

TEST_CASE("likelihood: three times each component in turn gets the variance that is best beside the others") {
  Random random(34);
  for (int game = 0; game < 20; ++game) {
    const Rows rows = random_rows(5, 4 + random.below(30), 3, random);
    DenseModel model{rows, 1, 0, game % 2 == 0 ? 0.0 : 1.0, {{rows.everywhere(), 0}}};
    for (SuspectId suspect = 0; suspect < 4; ++suspect) model.components.emplace_back(rows.pattern(suspect), 0);
    std::vector<Pattern> patterns;
    for (const auto& component : model.components) patterns.push_back(component.first);
    const std::vector<double> variances = model.likelihood().best_variances(patterns);
    for (int sweep = 0; sweep < 3; ++sweep)
      for (auto& [pattern, variance] : model.components) {
        variance = 0;
        variance = model.likelihood().gain(pattern).variance;
      }
    for (std::size_t i = 0; i < patterns.size(); ++i)
      CHECK(variances[i] == Approx(model.components[i].second).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("likelihood: what is unexplained of a row is how far it is off what the others predict of it") {
  Random random(21);
  const double background = GENERATE(0.0, 2.0);
  const Rows rows = random_rows(5, 7, 4, random);
  const DenseModel model{rows, 1, 0, background, {{rows.pattern(SuspectId{1}), 20}}};
  const std::vector<double> unexplained = model.likelihood().unexplained();
  const Dense c = model.covariance();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < rows.size(); ++other)
      if (other != row) others.push_back(other);
    Dense among(others.size(), std::vector<double>(others.size()));
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t b = 0; b < others.size(); ++b) among[a][b] = c[others[a]][others[b]];
    const Dense inverse = inverted(among).first;
    double variance = c[row][row], squares = 0;
    std::vector<double> weight(others.size(), 0.0);
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t b = 0; b < others.size(); ++b) weight[a] += inverse[a][b] * c[row][others[b]];
    for (std::size_t a = 0; a < others.size(); ++a) variance -= weight[a] * c[row][others[a]];
    for (std::size_t step = 0; step < rows.steps(); ++step) {
      double off = rows.signature(row)[step];
      for (std::size_t a = 0; a < others.size(); ++a) off -= weight[a] * rows.signature(others[a])[step];
      squares += off * off;
    }
    CHECK(unexplained[row] == Approx(squares / variance / static_cast<double>(rows.steps())));
  }
}

}  // namespace bisectd::strategies::testing
