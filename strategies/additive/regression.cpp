// Beam search over supports by orthogonal matching pursuit (Pati, Rezaiifar, Krishnaprasad, 1993): each state keeps an
// orthonormal basis of its columns, so that the gain of every further column costs one dot product per basis vector.
// One state per level (plain pursuit) is misled by chance correlations while trials are few; a beam keeps the true
// support alive until its members stand together.
#include "strategies/additive/regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bisectd::strategies::additive {
namespace {

using Vector = std::vector<double>;

// Halved and doubled: docs/search.md, "How much the other constants matter".
constexpr std::size_t kBeam = 48;
constexpr std::size_t kRivals = 8;     // fits returned
constexpr double kIndependent = 1e-6;  // share of a column that must stand out of the basis
constexpr double kDeviations = 4.5;    // asked after every trial: a rare excess would keep the truth out for many trials

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void subtract(Vector& from, double factor, const Vector& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= factor * what[i];
}

struct State {
  std::vector<std::size_t> support;  // in the order taken in
  std::vector<Vector> basis;
  Vector residual;
  double chi2 = 0;
};

struct Step {
  std::size_t state, column;
  double chi2;
};

// Takes the column into the basis; false if it is no news.
bool extend(State& state, const Vector& column) {
  Vector rest = column;
  for (const Vector& direction : state.basis) subtract(rest, dot(direction, rest), direction);
  const double length2 = dot(rest, rest);
  if (length2 <= kIndependent * dot(column, column)) return false;
  for (double& value : rest) value /= std::sqrt(length2);
  subtract(state.residual, dot(rest, state.residual), rest);
  state.chi2 = dot(state.residual, state.residual);
  state.basis.push_back(std::move(rest));
  return true;
}

}  // namespace

void Regression::add(const SuspectSet& active, double difference, double error) {
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(active.test(i) ? 1 / error : 0.0);
  unit_.push_back(1 / error);
  target_.push_back(difference / error);
}

double Regression::typical_error() const {
  double squares = 0;
  for (double unit : unit_) squares += 1 / (unit * unit);
  return std::sqrt(squares / static_cast<double>(unit_.size()));
}

double Regression::tolerated(std::size_t support) const {
  const double freedom = static_cast<double>(size()) - 1 - static_cast<double>(support);
  return freedom + kDeviations * std::sqrt(2 * freedom);
}

std::vector<Regression::Fit> Regression::explain(std::size_t most) const {
  State start{.residual = target_};
  extend(start, unit_);
  std::vector<State> beam{start};
  for (std::size_t level = 0;; ++level) {
    std::vector<Fit> good;
    for (const State& state : beam)
      if (good.size() < kRivals && level + 2 < size() && state.chi2 <= tolerated(level)) good.push_back(fit(state.support));
    if (!good.empty() || level >= most || level + 3 >= size()) {
      std::stable_sort(good.begin(), good.end(), [](const Fit& a, const Fit& b) { return a.chi2 < b.chi2; });
      return good;
    }
    std::vector<Step> steps;
    for (std::size_t s = 0; s < beam.size(); ++s)
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const Vector& column = columns_[j];
        const double along = dot(column, beam[s].residual), length2 = dot(column, column);
        double rest2 = length2;
        for (const Vector& direction : beam[s].basis) {
          const double part = dot(direction, column);
          rest2 -= part * part;
        }
        if (rest2 > kIndependent * length2) steps.push_back({s, j, beam[s].chi2 - along * along / rest2});
      }
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.chi2 < b.chi2; });
    std::vector<State> next;
    std::vector<std::vector<std::size_t>> seen;
    for (const Step& step : steps) {
      if (next.size() >= kBeam) break;
      std::vector<std::size_t> support = beam[step.state].support;
      support.push_back(step.column);
      std::sort(support.begin(), support.end());
      if (std::find(seen.begin(), seen.end(), support) != seen.end()) continue;
      seen.push_back(support);
      State state = beam[step.state];
      if (!extend(state, columns_[step.column])) continue;
      state.support = std::move(support);
      next.push_back(std::move(state));
    }
    if (next.empty()) return {};
    beam = std::move(next);
  }
}

// Least squares by the same basis: the effects follow by back substitution.
Regression::Fit Regression::fit(std::vector<std::size_t> support) const {
  std::sort(support.begin(), support.end());
  State state{.residual = target_};
  extend(state, unit_);
  std::vector<std::size_t> kept;
  for (std::size_t column : support)
    if (extend(state, columns_[column])) kept.push_back(column);
  Fit made{.support = kept, .chi2 = state.chi2, .effect = Vector(kept.size(), 0.0)};
  Vector explained = target_;
  for (std::size_t i = 0; i < explained.size(); ++i) explained[i] -= state.residual[i];
  for (std::size_t i = kept.size(); i-- > 0;) {
    const Vector& direction = state.basis[i + 1];
    made.effect[i] = dot(direction, explained) / dot(direction, columns_[kept[i]]);
    subtract(explained, made.effect[i], columns_[kept[i]]);
  }
  made.offset = dot(state.basis[0], explained) / dot(state.basis[0], unit_);
  return made;
}

}  // namespace bisectd::strategies::additive
