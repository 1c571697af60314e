// What is believed before any trial.
#include "strategies/prior.hpp"

#include <cmath>

#include "strategies/random.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("the prior of the first culprit agrees with summing over all ways to draw them") {
  const std::vector<double> odds{1.0, 0.5, 0.25, 1.0, 0.125};
  const double all = 2.875;
  const std::vector<SuspectId> order{3, 0, 1, 2, 4};
  const auto share = [](int k) { return k == 1 ? 1.0 : k == 2 ? 0.375 : k == 3 ? 0.25 : 4 / std::pow(k, 3); };
  std::vector<double> expected(7, 0.0);
  double behind = all;
  for (std::size_t m = 1; m <= 5; ++m) {
    const double before = behind;
    behind -= odds[order[m - 1]];
    for (int k = 1; k <= 64; ++k)  // all of k among those from the m-th on, but not all behind it
      expected[m] += share(k) * (std::pow(before / all, k) - std::pow(std::max(0.0, behind) / all, k));
  }
  const std::vector<double> weight = first_culprit(odds, order, 0);
  REQUIRE(weight.size() == 7);
  for (std::size_t m = 0; m <= 6; ++m) CHECK(weight[m] == Approx(expected[m]).margin(1e-12));
  // Of two more beside one that is found it may be any of the three.
  const std::vector<double> next = first_culprit(odds, std::vector<SuspectId>{4}, 1);
  double sum = 0;
  for (int k = 2; k <= 65; ++k) sum += share(k) * k * std::pow(0.125 / all, k - 1);
  CHECK(next[1] == Approx(sum));
  CHECK(next[2] == 1);  // none is left
}

TEST_CASE("a hint may be worthless: a quarter of the belief is shared out evenly, and the order of the odds stays") {
  std::vector<Suspect> suspects(4);
  suspects[2].odds = 21;  // the mean is 6
  const std::vector<double> odds = believed_odds(suspects);
  CHECK(odds[0] == Approx(0.75 * 1 + 0.25 * 6));
  CHECK(odds[2] == Approx(0.75 * 21 + 0.25 * 6));
  CHECK(believed_odds(suspects, active(4, {0, 3})) == std::vector<double>{0, odds[1], odds[2], 0});
  for (Suspect& suspect : suspects) suspect.odds = 3;  // alike: no hint
  CHECK(believed_odds(suspects) == std::vector<double>(4, 3.0));
}

TEST_CASE("the generator gives the published stream, and every number below a bound alike") {
  Random random(1234567);  // the reference implementation's first numbers for this seed
  CHECK(random.next() == 6457827717110365317ULL);
  CHECK(random.next() == 3203168211198807973ULL);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 70'000; ++i) ++seen[random.below(7)];
  for (int count : seen) CHECK(count == Approx(10'000).epsilon(0.05));
  std::vector<int> deck{1, 2, 3, 4, 5};
  random.shuffle(std::span(deck));
  std::ranges::sort(deck);
  CHECK(deck == std::vector<int>{1, 2, 3, 4, 5});
}
