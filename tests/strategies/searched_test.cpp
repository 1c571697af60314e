// The suspects that an engine searches, and their places.
#include "strategies/searched.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("places and suspects lead to each other, and what is always active is in every trial") {
  const Searched searched(active(6, {1, 4}));
  CHECK(std::vector(searched.ids().begin(), searched.ids().end()) == std::vector<SuspectId>{0, 2, 3, 5});
  for (unsigned set = 0; set < 1U << 4; ++set) {
    const SuspectSet places(searched.size(), set);
    const Active there = searched.active(places);
    CHECK((there.test(1) && there.test(4)));
    CHECK(searched.places(there) == places);
    for (std::size_t place = 0; place < searched.size(); ++place)
      CHECK(there.test(searched.id(place)) == places.test(place));
  }
}

TEST_CASE("a trial is comparable where all that are always active were") {
  const Searched searched(active(4, {0, 3}));
  CHECK(searched.is_comparable(active(4, {0, 2, 3})));
  CHECK_FALSE(searched.is_comparable(active(4, {2, 3})));
  CHECK_FALSE(searched.is_comparable(active(4, {0, 2})));
}

TEST_CASE("odds by place") {
  Problem problem = problem_of(4);
  problem.suspects[2].odds = 10;
  const Searched searched(active(4, {0}));
  const std::vector<double> odds = searched.odds(problem);
  REQUIRE(odds.size() == 3);
  CHECK(odds[0] == odds[2]);
  CHECK(odds[1] > 2 * odds[0]);
}
