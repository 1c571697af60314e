// Against the textbook dynamic programme over all trees that keep the order.
#include "strategies/alphabetic_tree.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "../catch.hpp"
#include "strategies/random.hpp"

using namespace bisectd::strategies;

namespace {

double total(std::span<const double> weight) { return std::accumulate(weight.begin(), weight.end(), 0.0); }

// Mean number of steps to a leaf, times the total weight, when every subtree is split where it is told.
double steps_by_splits(std::span<const double> weight) {
  if (weight.size() < 2) return 0;
  const std::size_t left = optimal_split(weight);
  REQUIRE(left > 0);
  REQUIRE(left < weight.size());
  return total(weight) + steps_by_splits(weight.first(left)) + steps_by_splits(weight.subspan(left));
}

double fewest_steps(std::span<const double> weight) {
  const std::size_t n = weight.size();
  std::vector<std::vector<double>> best(n, std::vector<double>(n, 0.0));
  for (std::size_t length = 2; length <= n; ++length)
    for (std::size_t from = 0; from + length <= n; ++from) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t left = 1; left < length; ++left)
        least = std::min(least, best[from][from + left - 1] + best[from + left][from + length - 1]);
      best[from][from + length - 1] = least + total(weight.subspan(from, length));
    }
  return best[0][n - 1];
}

}  // namespace

TEST_CASE("no tree that keeps the order needs fewer steps on average") {
  Random random(7);
  for (int game = 0; game < 2000; ++game) {
    std::vector<double> weight(2 + random.below(14));
    const std::size_t kind = random.below(4);
    for (std::size_t i = 0; i < weight.size(); ++i) switch (kind) {
        case 0: weight[i] = 1; break;                                     // ties everywhere
        case 1: weight[i] = static_cast<double>(random.below(4)); break;  // many ties, and nothing
        case 2: weight[i] = random.unit(); break;
        default: weight[i] = weight.size() == i + 1 ? 3 : 1.0 / static_cast<double>(i + 1);  // a stage of the search
      }
    CHECK(steps_by_splits(weight) == Approx(fewest_steps(weight)).margin(1e-12));
  }
}

TEST_CASE("weights that tie but for rounding") {
  Random random(11);
  for (int game = 0; game < 20000; ++game) {
    const double near = random.unit();
    std::vector<double> weight(2 + random.below(9));
    for (double& w : weight) w = near * (1 + 0x1p-52 * static_cast<double>(random.below(12)));
    CHECK(steps_by_splits(weight) == Approx(fewest_steps(weight)));
  }
}

TEST_CASE("the root of the tree where bisecting the mass goes wrong") {
  CHECK(optimal_split(std::vector<double>{3, 2, 1, 4}) == 3);  // 19 steps; 5 | 5 needs 20
  CHECK(optimal_split(std::vector<double>{1, 1}) == 1);
}
