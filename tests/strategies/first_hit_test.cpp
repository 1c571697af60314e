// The one bisection that every exact question is made of.
#include "strategies/first_hit.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("first hit: bounds follow from any set, cuts are quantiles and respect what is pending") {
  FirstHit question(SuspectSet(8), {0, 1, 2, 3, 4, 5, 6, 7}, std::vector<double>(10, 1.0));
  question.observe({set_of(8, {2, 5}), Outcome::hit});       // ends with 5: the prefix of six hits
  question.observe({set_of(8, {0, 1, 7}), Outcome::clear});  // covers the prefix of two
  CHECK(question.low() == 3);
  CHECK(question.high() == 6);
  const auto one = question.cuts(1, {});
  REQUIRE(one.size() == 1);
  CHECK(one[0] == question.prefix(4));
  const auto beside = question.cuts(1, one);
  REQUIRE(beside.size() == 1);
  CHECK(beside[0] != one[0]);
  CHECK(question.cuts(8, {}).size() == 3);
}

TEST_CASE("first hit: a set that says nothing is avoided, and another order is due when none is left") {
  FirstHit question(SuspectSet(4), {0, 1, 2, 3}, std::vector<double>(6, 1.0));
  question.observe({set_of(4, {0, 1}), Outcome::hit});
  question.observe({SuspectSet(4), Outcome::clear});
  question.observe({set_of(4, {0}), Outcome::nothing});
  CHECK(question.cuts(4, {}).empty());
  CHECK(question.starved());
  CHECK(question.silent_cuts().size() == 1);
}

TEST_CASE("first hit: where two are left and the set that would decide says nothing, the other one is tried alone") {
  FirstHit question(SuspectSet(6), {0, 1, 2, 3, 4, 5}, std::vector<double>(8, 1.0));
  question.observe({set_of(6, {0, 1}), Outcome::clear});
  question.observe({set_of(6, {0, 1, 2, 3}), Outcome::hit});
  question.observe({set_of(6, {0, 1, 2}), Outcome::nothing});
  REQUIRE(question.starved());
  Random random(1);
  CHECK(question.reordered(0, random) == std::vector<SuspectId>{0, 1, 3, 2, 4, 5});
}

TEST_CASE("first hit: for every monotone predicate the bounds hold the truth, and cuts close in on it") {
  // The predicate hits iff one of these is wholly exposed.
  for_each_antichain(3, [](const Causes& causes) {
    const auto hits = [&](const SuspectSet& exposed) {
      return std::ranges::any_of(causes, [&](const auto& cause) { return set_of(3, cause).is_subset_of(exposed); });
    };
    for (const std::vector<SuspectId>& order : {std::vector<SuspectId>{0, 1, 2}, {2, 0, 1}}) {
      FirstHit question(SuspectSet(3), order, std::vector<double>(5, 1.0));
      std::size_t truth = 0;
      while (truth <= 3 && !hits(question.prefix(truth))) ++truth;
      std::size_t trials = 0;
      for (auto cut = question.cuts(1, {}); !cut.empty(); cut = question.cuts(1, {})) {
        REQUIRE(question.low() <= truth);
        REQUIRE(truth <= question.high());
        question.observe({cut.front(), hits(cut.front()) ? Outcome::hit : Outcome::clear});
        REQUIRE(++trials <= 3);  // one of five places
      }
      CHECK(question.decided());
      CHECK(question.low() == truth);
    }
    // Whatever is observed in whatever order, nothing false follows.
    for (unsigned first = 0; first < 8; ++first)
      for (unsigned second = 0; second < 8; ++second) {
        FirstHit question(SuspectSet(3), {0, 1, 2}, std::vector<double>(5, 1.0));
        for (unsigned mask : {first, second}) {
          const SuspectSet set(3, mask);
          question.observe({set, hits(set) ? Outcome::hit : Outcome::clear});
        }
        std::size_t truth = 0;
        while (truth <= 3 && !hits(question.prefix(truth))) ++truth;
        CHECK((question.low() <= truth && truth <= question.high()));
      }
  });
}

TEST_CASE("first hit: what is likelier is told apart first, and the posterior sums to one where it is open") {
  std::vector<double> weight(10, 1.0);
  weight[1] = 1000;  // the first suspect alone
  FirstHit question(SuspectSet(8), {0, 1, 2, 3, 4, 5, 6, 7}, weight);
  CHECK(question.cuts(1, {}).front() == set_of(8, {0}));
  question.observe({set_of(8, {0}), Outcome::clear});
  const std::vector<double> mass = question.posterior();
  CHECK(mass[0] + mass[1] == 0);
  CHECK(std::accumulate(mass.begin(), mass.end(), 0.0) == Approx(1));
}

TEST_CASE("first hit: another order asks the same question, and disturbs more the less that helped") {
  FirstHit question(SuspectSet(10), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, std::vector<double>(12, 1.0));
  question.observe({set_of(10, {0, 1}), Outcome::clear});
  question.observe({set_of(10, {0, 1, 2, 3, 4, 5, 6}), Outcome::hit});
  Random random(5);
  for (std::size_t attempt = 0; attempt < 3; ++attempt) {
    std::vector<SuspectId> order = question.reordered(attempt, random);
    if (attempt == 0) {
      CHECK(std::vector(order.begin(), order.begin() + 2) == std::vector<SuspectId>{0, 1});
      CHECK(std::vector(order.begin() + 7, order.end()) == std::vector<SuspectId>{7, 8, 9});
    }
    std::ranges::sort(order);
    CHECK(order == question.order());  // nobody is lost
  }
}

TEST_CASE("first hit: as many cuts as are asked for, none that is on its way, and several share out what is open evenly") {
  for (std::size_t n = 1; n <= 12; ++n)
    for (std::size_t count = 1; count <= 5; ++count)
      for (std::size_t on_its_way = 0; on_its_way <= n + 1; ++on_its_way) {
        std::vector<SuspectId> order(n);
        std::iota(order.begin(), order.end(), SuspectId{0});
        const FirstHit question(SuspectSet(n), order, std::vector<double>(n + 2, 1.0));
        std::vector<SuspectSet> pending;  // none for n + 1
        if (on_its_way <= n) pending.push_back(question.prefix(on_its_way));
        const std::vector<SuspectSet> cuts = question.cuts(count, pending);
        CHECK(cuts.size() == std::min(count, n + 1 - pending.size()));  // as many as there are
        std::set<std::size_t> at;
        for (const SuspectSet& cut : cuts) at.insert(cut.count());
        CHECK(at.size() == cuts.size());
        CHECK((pending.empty() || !at.contains(on_its_way)));
        if (!pending.empty()) at.insert(on_its_way);
        // Parts of the n + 2 places: none is larger than its share by more than the rounding of two cuts.
        std::size_t largest = 0, from = 0;
        for (std::size_t cut : at) {
          largest = std::max(largest, cut + 1 - from);
          from = cut + 1;
        }
        largest = std::max(largest, n + 2 - from);
        INFO("n " << n << ", cuts " << count << ", on its way " << on_its_way);
        if (pending.empty() && count > 1)
          CHECK(largest <= (n + 2 + count) / (count + 1) + 1);  // one goes where the tree says
      }
}

TEST_CASE("first hit: the cut that is chosen is the nearest that says something") {
  std::vector<SuspectId> order(9);
  std::iota(order.begin(), order.end(), SuspectId{0});
  FirstHit question(SuspectSet(9), order, std::vector<double>(11, 1.0));
  std::vector<std::size_t> chosen;
  for (auto cut = question.cuts(1, {}); !cut.empty(); cut = question.cuts(1, {})) {
    chosen.push_back(cut.front().count());
    question.observe({cut.front(), Outcome::nothing});
  }
  REQUIRE(chosen.size() == 10);  // each once
  const auto off = [&](std::size_t at) { return at > chosen.front() ? at - chosen.front() : chosen.front() - at; };
  CHECK(std::ranges::is_sorted(chosen, {}, off));
  CHECK(question.silent_cuts().size() == 10);
}
