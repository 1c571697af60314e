#include "strategies/signatures/likelihood.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

constexpr std::size_t kBlock = 4;  // sums that do not wait for each other; most of a search's time is spent in these
// Of a symmetric positive definite matrix, by Gauss and Jordan; its log determinant is added to `log_determinant`.
Matrix inverse_of(Matrix a, double& log_determinant) {
  const std::size_t n = a.rows;
  Matrix inverse(n, n);
  for (std::size_t i = 0; i < n; ++i) inverse(i, i) = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = a(i, i);
    log_determinant += portable_ln(pivot);
    for (std::size_t c = 0; c < n; ++c) a(i, c) /= pivot, inverse(i, c) /= pivot;
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = a(r, i);
      if (r == i || factor == 0) continue;
      for (std::size_t c = 0; c < n; ++c) a(r, c) -= factor * a(i, c), inverse(r, c) -= factor * inverse(i, c);
    }
  }
  return inverse;
}

double sum_at(const double* values, const std::vector<std::size_t>& places) {
  std::array<double, kBlock> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= places.size(); i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[places[i + k]];
  for (; i < places.size(); ++i) sums[0] += values[places[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Of these rows of a matrix, a few columns at a time, whose sums stay in registers.
void sum_of_rows(const Matrix& matrix, const std::vector<std::size_t>& rows, std::vector<double>& sums) {
  sums.resize(matrix.columns);
  std::size_t k = 0;
  for (; k + kBlock <= matrix.columns; k += kBlock) {
    std::array<double, kBlock> block{};
    for (std::size_t row : rows) {
      const double* values = &matrix.at[row * matrix.columns + k];
      for (std::size_t i = 0; i < kBlock; ++i) block[i] += values[i];
    }
    std::ranges::copy(block, &sums[k]);
  }
  for (; k < matrix.columns; ++k) {
    sums[k] = 0;
    for (std::size_t row : rows) sums[k] += matrix(row, k);
  }
}

double squares_of(const std::vector<double>& values) {
  double squares = 0;
  for (double each : values) squares += each * each;
  return squares;
}

// With p = z' C^-1 z and q = (C^-1 Y)' z for the pattern z the log likelihood gains, at variance v,
// (|q|^2 v / (1 + v p) - K log(1 + v p)) / 2, which is greatest at v = (|q|^2 / K - p) / p^2.
double gain_at(double variance, double p, double squares, std::size_t steps) {
  const double stretch = 1 + variance * p;
  return 0.5 * (squares * variance / stretch - static_cast<double>(steps) * portable_ln(stretch));
}

double best_variance(double p, double squares, std::size_t steps) {
  const double count = static_cast<double>(steps);
  return p <= 1e-9 || squares <= count * p ? 0 : (squares / count - p) / (p * p);
}

}  // namespace

Likelihood::Likelihood(const Rows& rows, const Matrix& whitened, double noise, double share, double background)
    : weighted_(rows.size(), whitened.columns) {
  const std::size_t m = rows.size();
  Matrix covariance(m, m);
  for (std::size_t a = 0; a < m; ++a) {
    double squares_of_row = 0;
    for (std::size_t k = 0; k < whitened.columns; ++k) squares_of_row += whitened(a, k) * whitened(a, k);
    covariance(a, a) = noise + share * share * squares_of_row / static_cast<double>(whitened.columns);
    for (std::size_t b = 0; background > 0 && b < m; ++b)
      covariance(a, b) += background * static_cast<double>(rows.active_in_both(a, b)) / static_cast<double>(rows.suspects());
  }
  double log_determinant = 0, squares = 0;
  inverse_ = inverse_of(std::move(covariance), log_determinant);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      for (std::size_t k = 0; inverse_(a, b) != 0 && k < whitened.columns; ++k)
        weighted_(a, k) += inverse_(a, b) * whitened(b, k);
  for (std::size_t i = 0; i < whitened.at.size(); ++i) squares += whitened.at[i] * weighted_.at[i];
  nats_ = -0.5 * (static_cast<double>(whitened.columns) * log_determinant + squares);
}

Likelihood::Gain Likelihood::gain(std::span<const std::uint64_t> pattern) const {
  std::vector<std::size_t>& rows = scratch_rows_;
  rows.clear();
  double p = 0;
  for (std::size_t word = 0; word < pattern.size(); ++word)
    for (std::uint64_t bits = pattern[word]; bits != 0; bits &= bits - 1) {
      const std::size_t row = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
      const double* inverse = &inverse_.at[row * inverse_.columns];
      p += 2 * sum_at(inverse, rows) + inverse[row];
      rows.push_back(row);
    }
  sum_of_rows(weighted_, rows, scratch_);
  const std::size_t steps = weighted_.columns;
  const double squares = squares_of(scratch_), variance = best_variance(p, squares, steps);
  return variance > 0 ? Gain{gain_at(variance, p, squares, steps), variance} : Gain{};
}

// It takes factor x direction x direction' from the inverse, with direction = C^-1 z.
void Likelihood::add(const Pattern& pattern, double variance) {
  if (variance == 0) return;
  const std::vector<std::size_t> rows = rows_of(pattern);
  std::vector<double> direction, weighted;
  sum_of_rows(inverse_, rows, direction);
  sum_of_rows(weighted_, rows, weighted);
  const double p = sum_at(direction.data(), rows), factor = variance / (1 + variance * p);
  nats_ += gain_at(variance, p, squares_of(weighted), weighted_.columns);
  for (std::size_t row = 0; row < direction.size(); ++row) {
    const double part = factor * direction[row];
    for (std::size_t other = 0; other < direction.size(); ++other) inverse_(row, other) -= part * direction[other];
    for (std::size_t k = 0; k < weighted.size(); ++k) weighted_(row, k) -= part * weighted[k];
  }
}

// (C^-1 Y)_t / (C^-1)_tt is how far row t is off what the others predict of it, with variance 1 / (C^-1)_tt.
std::vector<double> Likelihood::unexplained() const {
  std::vector<double> squares, off;
  for (std::size_t row = 0; row < inverse_.rows; ++row) {
    sum_of_rows(weighted_, {row}, off);
    squares.push_back(squares_of(off) / inverse_(row, row) / static_cast<double>(off.size()));
  }
  return squares;
}

// All that this needs of the rows are z' C^-1 z and (C^-1 Y)' z of the patterns, however many rows there are.
std::vector<double> Likelihood::best_variances(const std::vector<Pattern>& patterns) const {
  const std::size_t count = patterns.size(), steps = weighted_.columns;
  Matrix products(count, count), weighted(count, steps);
  std::vector<std::vector<std::size_t>> rows;
  for (const Pattern& pattern : patterns) rows.push_back(rows_of(pattern));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> direction, of_steps;
    sum_of_rows(inverse_, rows[i], direction);
    sum_of_rows(weighted_, rows[i], of_steps);
    for (std::size_t j = 0; j < count; ++j) products(j, i) = sum_at(direction.data(), rows[j]);
    std::ranges::copy(of_steps, &weighted.at[i * steps]);
  }
  const auto change = [&](std::size_t i, double variance) {
    if (variance == 0) return;
    const double factor = variance / (1 + variance * products(i, i));
    const std::vector<double> direction(&products.at[i * count], &products.at[i * count] + count),
        of_steps(&weighted.at[i * steps], &weighted.at[i * steps] + steps);
    for (std::size_t a = 0; a < count; ++a) {
      const double part = factor * direction[a];
      for (std::size_t b = 0; b < count; ++b) products(a, b) -= part * direction[b];
      for (std::size_t k = 0; k < steps; ++k) weighted(a, k) -= part * of_steps[k];
    }
  };
  std::vector<double> variances(count, 0.0);
  constexpr int kRounds = 3;
  for (int sweep = 0; sweep < kRounds; ++sweep)
    for (std::size_t i = 0; i < count; ++i) {
      change(i, -variances[i]);
      double squares = 0;
      for (std::size_t k = 0; k < steps; ++k) squares += weighted(i, k) * weighted(i, k);
      variances[i] = best_variance(products(i, i), squares, steps);
      change(i, variances[i]);
    }
  return variances;
}

}  // namespace bisectd::strategies::signatures
