#include "strategies/signatures/likelihood.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "strategies/logarithm.hpp"

namespace bisectd::strategies::signatures {
namespace {

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

// Four sums that do not wait for each other; most of a search's time is spent here.
double sum_at(const double* values, const std::vector<std::size_t>& places) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= places.size(); i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[places[i + k]];
  for (; i < places.size(); ++i) sums[0] += values[places[i]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Likelihood::Likelihood(const Rows& rows, const Matrix& whitened, double noise, double share, double background)
    : inverse_(rows.size(), rows.size()) {
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
  weighted_ = Matrix(m, whitened.columns);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      for (std::size_t k = 0; k < whitened.columns; ++k) weighted_(a, k) += inverse_(a, b) * whitened(b, k);
  for (std::size_t i = 0; i < whitened.at.size(); ++i) squares += whitened.at[i] * weighted_.at[i];
  nats_ = -0.5 * (static_cast<double>(whitened.columns) * log_determinant + squares);
}

// With p = z' C^-1 z and q = (C^-1 Y)' z the log likelihood gains, at variance v,
// (|q|^2 v / (1 + v p) - K log(1 + v p)) / 2, which is greatest at v = (|q|^2 / K - p) / p^2.
Likelihood::Gain Likelihood::gain(const Pattern& pattern) const {
  const std::size_t steps = weighted_.columns;
  std::vector<std::size_t>& rows = scratch_rows_;
  std::vector<double>& q = scratch_;
  rows.clear();
  q.assign(steps, 0.0);
  double p = 0, squares = 0;
  for (std::size_t word = 0; word < pattern.size(); ++word)
    for (std::uint64_t bits = pattern[word]; bits != 0; bits &= bits - 1) {
      const std::size_t row = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
      const double* inverse = &inverse_.at[row * inverse_.columns];
      p += 2 * sum_at(inverse, rows) + inverse[row];
      rows.push_back(row);
      const double* weighted = &weighted_.at[row * steps];
      for (std::size_t k = 0; k < steps; ++k) q[k] += weighted[k];
    }
  for (double each : q) squares += each * each;
  const double count = static_cast<double>(steps);
  if (p <= 1e-9 || squares <= count * p) return {};
  const double variance = (squares / count - p) / (p * p);
  const double stretch = 1 + variance * p;
  return {0.5 * (squares * variance / stretch - count * portable_ln(stretch)), variance};
}

void Likelihood::change(const Pattern& pattern, double variance) {
  if (variance == 0) return;
  const std::size_t m = inverse_.rows;
  const std::vector<std::size_t> rows = rows_of(pattern);
  std::vector<double> u(m, 0.0), q(weighted_.columns, 0.0);
  double p = 0;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t row : rows) u[a] += inverse_(a, row);
  for (std::size_t row : rows) {
    p += u[row];
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += weighted_(row, k);
  }
  double squares = 0;
  for (double each : q) squares += each * each;
  const double stretch = 1 + variance * p, factor = variance / stretch;
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) inverse_(a, b) -= factor * u[a] * u[b];
    for (std::size_t k = 0; k < q.size(); ++k) weighted_(a, k) -= factor * u[a] * q[k];
  }
  nats_ += 0.5 * (squares * factor - static_cast<double>(q.size()) * portable_ln(stretch));
}

// (C^-1 Y)_t / (C^-1)_tt is how far row t is off what the others predict of it, with variance 1 / (C^-1)_tt.
std::vector<double> Likelihood::unexplained() const {
  std::vector<double> squares;
  for (std::size_t row = 0; row < inverse_.rows; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < weighted_.columns; ++k) sum += weighted_(row, k) * weighted_(row, k);
    squares.push_back(sum / inverse_(row, row) / static_cast<double>(weighted_.columns));
  }
  return squares;
}

}  // namespace bisectd::strategies::signatures
