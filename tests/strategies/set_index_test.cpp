#include "strategies/set_index.hpp"

#include "strategies/random.hpp"
#include "tests/catch.hpp"

using namespace bisectd::strategies;

TEST_CASE("the index finds those sets that a look at each of them finds") {
  Random random(5);
  for (const std::size_t suspects : {1, 3, 7, 70}) {
    SetIndex index(suspects);
    Marks marks;
    std::vector<SuspectSet> sets;
    std::vector<bool> marked;
    for (std::size_t number = 0; number < 200; ++number) {
      SuspectSet set(suspects);  // few or many members, so that some hold others
      const std::size_t share = 1 + random.below(8);
      for (SuspectId suspect = 0; suspect < suspects; ++suspect) set.set(suspect, random.below(8) < share);
      index.add(set);
      marks.set(number, true);
      marked.push_back(random.below(2) == 0);
      if (!marked.back()) marks.set(number, false);
      sets.push_back(set);
      std::vector<std::size_t> holding, within;
      for (std::size_t other = 0; other <= number; ++other) {
        if (marked[other] && set.is_subset_of(sets[other])) holding.push_back(other);
        if (marked[other] && sets[other].is_subset_of(set)) within.push_back(other);
      }
      CHECK(index.holding(set, marks) == holding);
      CHECK(index.within(set, marks) == within);
    }
  }
}
