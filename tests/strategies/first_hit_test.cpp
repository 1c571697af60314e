// The one bisection that every exact question is made of.
#include "strategies/first_hit.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

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
