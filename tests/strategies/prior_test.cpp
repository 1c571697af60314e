// What is believed before any trial.
#include "strategies/prior.hpp"

#include <cmath>

#include "strategies/random.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("the prior of the first culprit agrees with summing over all sets") {
  const std::vector<double> odds{1.0, 0.5, 0.25, 1.0, 0.125};
  const CulpritPrior prior(odds);
  const std::vector<SuspectId> order{3, 0, 1, 2, 4};
  // By hand: weight of a set = P(k) / E_k * product of odds; P(1..3) = 1, 3/8, 1/4, P(k) = 4 k^-3.
  const auto share = [](int k) { return k == 1 ? 1.0 : k == 2 ? 0.375 : k == 3 ? 0.25 : 4 / std::pow(k, 3); };
  std::vector<double> symmetric(6, 0.0), expected(7, 0.0);
  const auto product = [&](unsigned set) {
    double p = 1;
    for (unsigned i = 0; i < 5; ++i)
      if (set >> i & 1) p *= odds[order[i]];
    return p;
  };
  for (unsigned set = 0; set < 32; ++set) symmetric[static_cast<std::size_t>(__builtin_popcount(set))] += product(set);
  for (unsigned set = 1; set < 32; ++set) {
    const int k = __builtin_popcount(set);
    const std::size_t first = static_cast<std::size_t>(__builtin_ctz(set)) + 1;
    expected[first] += share(k) / symmetric[static_cast<std::size_t>(k)] * product(set);
  }
  const std::vector<double> weight = prior.first_culprit(order, 0, 0);
  REQUIRE(weight.size() == 7);
  for (std::size_t m = 0; m < 6; ++m) CHECK(weight[m] == Approx(expected[m]));
}

TEST_CASE("what is found already and what is cleared is no longer counted as a first culprit") {
  const CulpritPrior prior(std::vector<double>(6, 1.0));
  const std::vector<double> none_left = prior.first_culprit({}, 2, 0);
  CHECK(none_left.size() == 2);
  CHECK(none_left[0] == 0);
  CHECK(none_left[1] > 0);
  // The first of all cannot be "none left": the subject as it is fails.
  CHECK(prior.first_culprit(std::vector<SuspectId>{0, 1, 2}, 0, 0).back() == 0);
}

TEST_CASE("with many culprits found their density decides where the next one is expected") {
  const CulpritPrior prior(std::vector<double>(200, 1.0));
  std::vector<SuspectId> order;
  for (SuspectId suspect = 50; suspect < 200; ++suspect) order.push_back(suspect);
  const std::vector<double> weight = prior.first_culprit(order, 50, 10);
  CHECK(weight[10] == 0);  // cleared
  CHECK(weight[11] == Approx(51.0 / 62));
  CHECK(weight[12] / weight[11] == Approx(1 - 51.0 / 62));
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
