// Suspects that matter only with others, and of which only one can be neutralised: against all sets of a few suspects.
#include <set>

#include "strategies/relations.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

/// Each suspect may need some of those with a smaller number.
Problem with_random_needs(Random& random, std::size_t n) {
  Problem problem = problem_of(n);
  for (SuspectId suspect = 1; suspect < n; ++suspect)
    for (SuspectId needed = 0; needed < suspect; ++needed)
      if (random.below(4) == 0) problem.suspects[suspect].only_with.push_back(needed);
  return problem;
}

/// Who matters: is active, and so does all that it needs.
Active what_matters(const Problem& problem, const Active& set) {
  Active matters = set;
  for (bool changed = true; changed;) {
    changed = false;
    for (SuspectId suspect : members_of(matters))
      for (SuspectId needed : problem.suspects[suspect].only_with)
        if (!matters.test(needed)) matters.reset(suspect), changed = true;
  }
  return matters;
}

std::vector<Active> all_sets(std::size_t n) {
  std::vector<Active> sets;
  for (unsigned mask = 0; mask < 1U << n; ++mask) sets.emplace_back(SuspectSet(n, mask));
  return sets;
}

}  // namespace

TEST_CASE("needs: of all sets with one effect the smallest and the largest are its forms, whichever is given") {
  Random random(6);
  for (int game = 0; game < 40; ++game) {
    const std::size_t n = 2 + random.below(4);
    const Problem problem = with_random_needs(random, n);
    const Relations relations(problem);
    const std::vector<Active> sets = all_sets(n);
    for (const Active& set : sets) {
      const Active matters = what_matters(problem, set);
      Active largest = set;
      for (const Active& other : sets)
        if (what_matters(problem, other) == matters && other.count() > largest.count()) largest = other;
      CHECK(relations.effective(set) == matters);
      CHECK(relations.widest(set) == largest);
      CHECK(relations.effective(relations.widest(set)) == matters);
    }
  }
}

TEST_CASE("needs: with all that members need, and without those that another one needs anyhow") {
  Random random(16);
  for (int game = 0; game < 60; ++game) {
    const std::size_t n = 2 + random.below(5);
    const Problem problem = with_random_needs(random, n);
    const Relations relations(problem);
    for (const Active& set : all_sets(n)) {
      const std::vector<SuspectId> members = members_of(set), whole = relations.with_needs(members);
      CHECK(what_matters(problem, active(n, whole)) == active(n, whole));  // so they all matter
      CHECK(std::ranges::includes(whole, members));
      const std::vector<SuspectId> outer = relations.outermost(members);
      CHECK(relations.with_needs(outer) == whole);  // the same is said by fewer
      for (SuspectId member : outer)
        for (SuspectId other : outer)
          if (const auto of_other = relations.with_needs(std::span(&other, 1)); other != member)
            CHECK(std::ranges::count(of_other, member) == 0);
    }
  }
}

TEST_CASE("needs: in an order each stands behind all that it needs, and where nothing is needed it stays as it is") {
  Random random(26);
  for (int game = 0; game < 60; ++game) {
    const std::size_t n = 2 + random.below(6);
    const Problem problem = with_random_needs(random, n);
    std::vector<SuspectId> order(n);
    for (SuspectId suspect = 0; suspect < n; ++suspect) order[suspect] = suspect;
    random.shuffle(std::span(order));
    CHECK(Relations(problem_of(n)).needed_first(order) == order);
    const std::vector<SuspectId> sorted_out = Relations(problem).needed_first(order);
    SuspectSet before(n);
    for (SuspectId suspect : sorted_out) {
      for (SuspectId needed : problem.suspects[suspect].only_with) CHECK(before.test(needed));
      before.set(suspect);
    }
    CHECK(before.all());
  }
}

TEST_CASE("needs: among some of the suspects, the others being active, the effects are the same") {
  Random random(36);
  for (int game = 0; game < 60; ++game) {
    const std::size_t n = 3 + random.below(4);
    const Problem problem = with_random_needs(random, n);
    const Relations relations(problem);
    const std::vector<SuspectId> kept = members_of(SuspectSet(n, 1 + random.below((1U << n) - 1)));
    const Relations among = relations.among(kept);
    for (const Active& local : all_sets(kept.size())) {
      Active whole = as_it_is(n);
      for (std::size_t i = 0; i < kept.size(); ++i) whole.set(kept[i], local.test(i));
      const Active matters = relations.effective(whole), matters_among = among.effective(local);
      for (std::size_t i = 0; i < kept.size(); ++i) CHECK(matters_among.test(i) == matters.test(kept[i]));
    }
  }
}

TEST_CASE(
    "exclusive groups: the least active sets are all ways to neutralise one of each, and what stays active is in all of "
    "them") {
  Random random(46);
  for (int game = 0; game < 60; ++game) {
    const std::size_t n = 4 + random.below(3);
    Problem problem = problem_of(n);
    problem.exclusive = {{0, 1, 2}};
    if (random.below(2) == 0) problem.exclusive.push_back({2, 3});  // they may share one
    for (Suspect& suspect : problem.suspects) suspect.stays_active = random.below(6) == 0;
    const auto allowed = [&](const Active& set) {
      for (SuspectId suspect = 0; suspect < n; ++suspect)
        if (problem.suspects[suspect].stays_active && !set.test(suspect)) return false;
      return std::ranges::all_of(problem.exclusive, [&](const std::vector<SuspectId>& group) {
        return std::ranges::count_if(group, [&](SuspectId suspect) { return !set.test(suspect); }) <= 1;
      });
    };
    const Relations relations(problem);
    for (const Active& least : relations.least_active_sets()) CHECK(allowed(least));
    for (const Active& set : all_sets(n))
      if (allowed(set))  // each allowed set neutralises no more than some of these
        CHECK(std::ranges::any_of(relations.least_active_sets(),
                                  [&](const Active& least) { return least.is_subset_of(set); }));
    if (problem.exclusive.size() == 1)  // groups that share a suspect may add sets beyond the smallest
      for (const Active& least : relations.least_active_sets())
        CHECK(std::ranges::none_of(relations.least_active_sets(),
                                   [&](const Active& other) { return other.is_proper_subset_of(least); }));
    const std::set<Active> distinct(relations.least_active_sets().begin(), relations.least_active_sets().end());
    CHECK(distinct.size() == relations.least_active_sets().size());
  }
}
