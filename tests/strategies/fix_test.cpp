// The cheapest way to mend every cause: against all subsets.
#include "strategies/fix.hpp"

#include <ranges>
#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

bool mends(const std::vector<SuspectId>& fix, const Causes& causes) {
  return std::ranges::all_of(causes, [&](const std::vector<SuspectId>& cause) {
    return std::ranges::any_of(cause, [&](SuspectId member) { return std::ranges::count(fix, member) > 0; });
  });
}

}  // namespace

TEST_CASE("the cheapest fix of many joint causes that share nothing is found at once") {
  Causes causes;
  for (SuspectId i = 0; i < 12; ++i) causes.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  CHECK(cheapest_fix(causes, problem_of(36).suspects).size() == 12);
}

TEST_CASE("all minimal fixes against brute force, cheapest first") {
  Random random(5);
  for (int game = 0; game < 200; ++game) {
    constexpr std::size_t n = 7;
    Problem problem = problem_of(n);
    for (Suspect& suspect : problem.suspects) suspect.price = game % 2 == 0 ? 0 : 1 + static_cast<double>(random.below(4));
    Causes causes(1 + random.below(4));
    for (auto& cause : causes)
      while (cause.empty())
        for (SuspectId id = 0; id < n; ++id)
          if (random.below(3) == 0) cause.push_back(id);
    const auto breaks = [&](unsigned set) {
      return std::ranges::all_of(causes, [&](const auto& cause) {
        return std::ranges::any_of(cause, [&](SuspectId id) { return set >> id & 1U; });
      });
    };
    const auto price = [&](const std::vector<SuspectId>& fix) {
      double sum = 0;
      for (const SuspectId id : fix) sum += problem.suspects[id].price;
      return sum;
    };
    std::set<std::vector<SuspectId>> expected;
    for (unsigned set = 0; set < 1U << n; ++set) {
      std::vector<SuspectId> fix;
      bool minimal = breaks(set);
      for (SuspectId id = 0; id < n; ++id)
        if (set >> id & 1U) {
          fix.push_back(id);
          minimal = minimal && !breaks(set & ~(1U << id));
        }
      if (minimal) expected.insert(fix);
    }
    const auto found = minimal_fixes(causes, problem.suspects, 1000);
    CHECK(std::set(found.begin(), found.end()) == expected);
    CHECK(found.size() == expected.size());
    CHECK(std::ranges::is_sorted(found, {}, price));
    const auto rank = [&](const std::vector<SuspectId>& fix) { return std::pair(price(fix), fix.size()); };
    CHECK(rank(cheapest_fix(causes, problem.suspects)) == std::ranges::min(expected | std::views::transform(rank)));
    CHECK(minimal_fixes(causes, problem.suspects, 1) == std::vector(1, found.front()));
  }
}

TEST_CASE("of sixteen joint causes that overlap no fix has fewer members, and none of them is too many") {
  Random random(3);
  for (int game = 0; game < 20; ++game) {
    constexpr std::size_t n = 12;
    Causes causes(16);
    for (auto& cause : causes)
      while (cause.size() < 3)
        if (const SuspectId member = random.below(n); std::ranges::count(cause, member) == 0) cause.push_back(member);
    std::size_t fewest = n;
    for (unsigned set = 0; set < 1U << n; ++set) {
      const std::vector<SuspectId> fix = members_of(SuspectSet(n, set));
      if (fix.size() < fewest && mends(fix, causes)) fewest = fix.size();
    }
    const std::vector<SuspectId> fix = cheapest_fix(causes, problem_of(n).suspects);
    CHECK(mends(fix, causes));
    CHECK(fix.size() == fewest);
  }
}

TEST_CASE("where causes overlap so much that no search ends, it is some minimal fix") {
  Random random(3);
  Causes causes;
  for (int i = 0; i < 200; ++i) causes.push_back({random.below(40), 40 + random.below(40), 80 + random.below(40)});
  const std::vector<SuspectId> fix = cheapest_fix(causes, problem_of(120).suspects);
  CHECK(mends(fix, causes));
  for (std::size_t i = 0; i < fix.size(); ++i) {
    std::vector<SuspectId> less = fix;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(mends(less, causes));
  }
  CHECK(minimal_fixes(causes, problem_of(120).suspects, 3).size() <= 3);
}
