// The parts of the search, one rule each: log, first hit, prior, fix, simulate.
#include "strategies/evidence_log.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <utility>

#include "strategies/asking_again.hpp"
#include "strategies/first_hit.hpp"
#include "strategies/fix.hpp"
#include "strategies/prior.hpp"
#include "strategies/simulate.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("exact verdicts settle at once, a majority settles a dispute") {
  EvidenceLog log(3, 0.0, 0.003);
  const SuspectSet set = set_of(3, {1});
  log.add(evidence_of(set, Verdict::fail));
  CHECK(log.find(~set)->verdict == Verdict::fail);
  log.add(evidence_of(set, Verdict::pass));
  CHECK(log.find(~set)->verdict == Verdict::inconclusive);
  CHECK(worth_asking(log, log.find(~set)));
  log.add(evidence_of(set, Verdict::pass));
  CHECK(log.find(~set)->verdict == Verdict::pass);
}

TEST_CASE("with noise a set is settled by agreeing verdicts, a doubtful judge counts less, a certain one no more") {
  EvidenceLog log(3, 0.05, 0.01);
  const SuspectSet set = set_of(3, {1}), other = set_of(3, {2}), certain = set_of(3, {0});
  log.add(evidence_of(set, Verdict::fail));
  CHECK(log.find(~set)->verdict == Verdict::inconclusive);
  log.add(evidence_of(set, Verdict::fail));
  CHECK(log.find(~set)->verdict == Verdict::fail);
  Evidence doubtful = evidence_of(other, Verdict::fail);
  doubtful.p_bad = 0.7;
  log.add(doubtful);
  log.add(doubtful);
  CHECK(log.find(~other)->verdict == Verdict::inconclusive);
  Evidence sure = evidence_of(certain, Verdict::fail);
  sure.p_bad = 1.0;
  log.add(sure);
  CHECK(log.find(~certain)->verdict == Verdict::inconclusive);
  log.add(sure);
  CHECK(log.find(~certain)->verdict == Verdict::fail);
}

TEST_CASE("a contradiction is known as soon as it is told") {
  EvidenceLog log(4, 0.0, 0.003);
  log.add(evidence_of(set_of(4, {0}), Verdict::pass));
  CHECK_FALSE(log.contradiction());
  log.add(evidence_of(set_of(4, {0, 1}), Verdict::fail));
  REQUIRE(log.contradiction());
  CHECK(log.entries()[log.contradiction()->fail].active == ~set_of(4, {0, 1}));
}

TEST_CASE("the log's entries within a set are those that a scan of all finds, in their order") {
  constexpr std::size_t kSuspects = 130;  // three blocks of bits
  EvidenceLog log(kSuspects, 0.0, 0.003);
  Random random(5);
  const auto any_set = [&](std::uint64_t of_four) {
    SuspectSet set(kSuspects);
    for (SuspectId id = 0; id < kSuspects; ++id) set.set(id, random.below(4) < of_four);
    return set;
  };
  std::vector<SuspectSet> wide{SuspectSet(kSuspects), any_set(2), SuspectSet(kSuspects).set()};
  for (int i = 0; i < 200; ++i) {
    const SuspectSet active = any_set(3) & wide[random.below(wide.size())];
    log.add(evidence_of(~active, random.below(2) == 0 ? Verdict::pass : Verdict::fail));
    wide.push_back(active | any_set(2));
  }
  for (const SuspectSet& active : wide) {
    std::vector<const LogEntry*> scanned;
    for (const LogEntry& entry : log.entries())
      if ((entry.active - active).none()) scanned.push_back(&entry);
    CHECK(log.within(active) == scanned);
  }
}

TEST_CASE("first hit: bounds follow from any set, cuts are quantiles and respect what is pending") {
  const Relations none(problem_of(8));
  FirstHit question(none, SuspectSet(8), {0, 1, 2, 3, 4, 5, 6, 7}, std::vector<double>(10, 1.0));
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
  const Relations none(problem_of(4));
  FirstHit question(none, SuspectSet(4), {0, 1, 2, 3}, std::vector<double>(6, 1.0));
  question.observe({set_of(4, {0, 1}), Outcome::hit});
  question.observe({SuspectSet(4), Outcome::clear});
  question.observe({set_of(4, {0}), Outcome::nothing});
  CHECK(question.cuts(4, {}).empty());
  CHECK(question.starved());
  CHECK(question.silent_cuts().size() == 1);
}

TEST_CASE("first hit: where two are left and the set that would decide says nothing, the other one is tried alone") {
  const Relations none(problem_of(6));
  FirstHit question(none, SuspectSet(6), {0, 1, 2, 3, 4, 5}, std::vector<double>(8, 1.0));
  question.observe({set_of(6, {0, 1}), Outcome::clear});
  question.observe({set_of(6, {0, 1, 2, 3}), Outcome::hit});
  question.observe({set_of(6, {0, 1, 2}), Outcome::nothing});
  REQUIRE(question.starved());
  Random random(1);
  CHECK(question.reordered(0, random) == std::vector<SuspectId>{0, 1, 3, 2, 4, 5});
}

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

TEST_CASE("the cheapest fix: price first, then fewest members") {
  std::vector<Suspect> suspects(5);
  const Causes causes{{0, 1}, {1, 2}, {3}};
  CHECK(cheapest_fix(causes, suspects) == std::vector<SuspectId>{1, 3});
  suspects[1].price = 10;
  suspects[0].price = suspects[2].price = 1;
  CHECK(cheapest_fix(causes, suspects) == std::vector<SuspectId>{0, 2, 3});
  CHECK(cheapest_fix({}, suspects).empty());
}

TEST_CASE("the cheapest fix of many joint causes that share nothing is found at once") {
  Causes causes;  // 4^12 sets have a member of each
  for (SuspectId first = 0; first < 48; first += 4) causes.push_back({first, first + 1, first + 2, first + 3});
  CHECK(cheapest_fix(causes, std::vector<Suspect>(48)).size() == 12);
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
    const auto found = minimal_fixes(causes, problem.suspects, Relations(problem), SuspectSet(n), 1000);
    CHECK(std::set(found.begin(), found.end()) == expected);
    CHECK(found.size() == expected.size());
    CHECK(std::ranges::is_sorted(found, {}, price));
    const auto rank = [&](const std::vector<SuspectId>& fix) { return std::pair(price(fix), fix.size()); };
    CHECK(rank(cheapest_fix(causes, problem.suspects)) == std::ranges::min(expected | std::views::transform(rank)));
    CHECK(minimal_fixes(causes, problem.suspects, Relations(problem), SuspectSet(n), 1) == std::vector(1, found.front()));
  }
}

TEST_CASE("simulate: the same games again, and their spread in order") {
  const Plant plant{.cause_sizes = {1, 2}};
  const Forecast one = simulate(problem_of(64), plant, 10), again = simulate(problem_of(64), plant, 10);
  CHECK(one.trials.mean == again.trials.mean);
  CHECK(one.named == 1.0);
  CHECK(one.unfinished == 0.0);
  CHECK(one.trials.p10 <= one.trials.median);
  CHECK(one.trials.median <= one.trials.p90);
  CHECK(one.trials.p90 <= one.trials.most);
}
