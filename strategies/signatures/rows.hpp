// What trials showed in their first steps: one row per trial, which suspects were active in it and its signature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "strategies/pattern.hpp"

namespace bisectd::strategies::signatures {

/// A dense matrix, row by row.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> at;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), at(r * c, 0.0) {}
  double& operator()(std::size_t r, std::size_t c) { return at[r * columns + c]; }
  double operator()(std::size_t r, std::size_t c) const { return at[r * columns + c]; }
};

class Rows {
 public:
  explicit Rows(std::size_t suspects) : suspects_(suspects), patterns_(suspects) {}

  /// `signature`: relative differences of the first steps, in units of what healthy runs differ by. Rows of another length
  /// than the first are left out.
  void add(const SuspectSet& active, const std::vector<double>& signature);

  std::size_t size() const { return active_.size(); }
  std::size_t suspects() const { return suspects_; }
  std::size_t steps() const { return signatures_.empty() ? 0 : signatures_.front().size(); }
  const SuspectSet& active(std::size_t row) const { return active_[row]; }
  const std::vector<double>& signature(std::size_t row) const { return signatures_[row]; }

  /// Rows in which all of these are active.
  Pattern pattern(const std::vector<SuspectId>& members) const { return patterns_.of(members); }
  const Pattern& pattern(SuspectId suspect) const { return patterns_.of(suspect); }
  /// How many suspects are active in both rows.
  std::size_t active_in_both(std::size_t a, std::size_t b) const { return active_in_both_[std::max(a, b)][std::min(a, b)]; }
  Pattern everywhere() const { return patterns_.everywhere(); }  ///< all rows

  /// Signatures over sqrt(1 + (share x whole)^2), step by step: a change elsewhere also changes a large difference by a
  /// share of it, and no step weighs more than another for being loud.
  Matrix whitened(const std::vector<double>& whole, double share) const;

 private:
  std::size_t suspects_;
  std::vector<SuspectSet> active_;
  std::vector<std::vector<double>> signatures_;
  Activity patterns_;
  std::vector<std::vector<std::size_t>> active_in_both_;  // by row, for it and each row before it
};

/// Whether it differs from healthy runs tenfold at three steps or more, so that it may tell causes apart.
bool differs_clearly(const std::vector<double>& signature);

}  // namespace bisectd::strategies::signatures
