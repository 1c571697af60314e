// The Markov chain of `causes` against enumeration: every set of causes over three suspects has its exact posterior here.
#include "strategies/causes/chain.hpp"

#include <cmath>
#include <map>

#include "strategies/causes/particles.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

using causes::Explanation;

Explanation explanation_of(const Causes& sets) {
  Explanation made;
  for (const std::vector<SuspectId>& members : sets) {
    causes::Cause cause;
    for (SuspectId member : members) cause.add(member);
    made.add(cause);
  }
  made.sort();
  return made;
}

constexpr std::size_t kThree = 3;
const std::vector<double> kOdds{1.0, 2.0, 1.0};

/// Two noisy tests: {0, 1} hit, {1, 2} was clear.
causes::Tests two_tests() {
  causes::Tests tests(kThree);
  tests.add(set_of(kThree, {0, 1}), true, 0.25);
  tests.add(set_of(kThree, {1, 2}), false, 0.4);
  return tests;
}

/// As chain.hpp says: k! P(k) times the prior of each cause times the doubt of each test that is predicted wrongly.
std::map<Explanation, double> posterior() {
  constexpr double kSize[] = {0, 0.85, 0.12, 0.03};
  std::map<Explanation, double> mass;
  double sum = 0;
  for_each_antichain(kThree, [&](const Causes& sets) {
    if (sets.empty()) return;
    const double k = static_cast<double>(sets.size());
    double p = std::tgamma(k + 1) * std::pow(k, -2.5);
    for (const std::vector<SuspectId>& members : sets) {
      p *= kSize[members.size()] * std::tgamma(static_cast<double>(members.size()) + 1);
      for (SuspectId member : members) p *= kOdds[member] / 4;
    }
    const bool hits = !fails(sets, neutralised(kThree, {2})), clears = fails(sets, neutralised(kThree, {0}));
    p *= (hits ? 0.25 : 1) * (clears ? 0.4 : 1);
    mass[explanation_of(sets)] = p;
    sum += p;
  });
  for (auto& [explanation, p] : mass) p /= sum;
  return mass;
}

Explanation sorted(Explanation state) {
  state.sort();
  return state;
}

/// How often one move leads from here to there, to a few per cent.
double rate(causes::Chain& chain, const Explanation& from, const Explanation& to, Random& random) {
  constexpr int kArrivals = 1000;
  int arrived = 0, moves = 0;
  for (; arrived < kArrivals && moves < 2'000'000; ++moves) {
    Explanation state = from;
    chain.walk(state, 1, random);
    arrived += sorted(state) == to;
  }
  return arrived / static_cast<double>(moves);
}

}  // namespace

TEST_CASE("the chain visits every explanation as often as its posterior says") {
  const causes::Tests tests = two_tests();
  causes::Chain chain(tests, kOdds);
  Random random(7);
  Explanation state = chain.from_prior(random);
  std::map<Explanation, double> visited;
  constexpr int kVisits = 150'000;
  for (int i = 0; i < kVisits; ++i) {
    chain.walk(state, 3, random);
    visited[sorted(state)] += 1.0 / kVisits;
  }
  const auto expected = posterior();
  REQUIRE(expected.size() == 18);  // all antichains of sets of one to three
  for (const auto& [explanation, mass] : visited) CHECK(expected.contains(explanation));
  for (const auto& [explanation, mass] : expected) {
    INFO("an explanation of " << explanation.size << " causes, the first of " << explanation.cause[0].size() << " members");
    CHECK(visited[explanation] == Approx(mass).epsilon(0.05).margin(0.001));
  }
}

TEST_CASE("each kind of move is as frequent back as forth, in proportion to the posterior") {
  const causes::Tests tests = two_tests();
  causes::Chain chain(tests, kOdds);
  Random random(11);
  auto expected = posterior();
  struct Move {
    const char* what;
    Causes from, to;
  };
  for (const Move& move :
       {Move{"birth and death of a lone cause", {{0}}, {{0}, {1}}}, Move{"birth and death of a pair", {{0}}, {{0}, {1, 2}}},
        Move{"a member more or less", {{0, 1}}, {{0, 1, 2}}}, Move{"another cause for one", {{0}}, {{2}}},
        Move{"another partner", {{0, 1}}, {{0, 2}}}}) {
    INFO(move.what);
    const Explanation from = explanation_of(move.from), to = explanation_of(move.to);
    const double forth = rate(chain, from, to, random), back = rate(chain, to, from, random);
    REQUIRE(forth > 0);
    CHECK(expected[from] * forth == Approx(expected[to] * back).epsilon(0.12));
  }
}

TEST_CASE("a cloud of particles settles on what explains exact tests, and says when nothing does") {
  causes::Tests tests(6);
  causes::Particles particles(tests, std::vector<double>(6, 1.0), true, 400, 3);
  const auto tell = [&](const std::vector<SuspectId>& exposed, bool hit) {
    tests.add(set_of(6, exposed), hit, 1e-9);
    particles.absorb(40);
  };
  tell({0, 1, 2, 3, 4, 5}, true);
  tell({0, 1, 2}, false);
  tell({3, 4}, false);
  tell({5}, true);
  REQUIRE_FALSE(particles.misfit());
  const auto likely = particles.likely(0.01);
  REQUIRE_FALSE(likely.empty());
  CHECK(likely.front().explanation == explanation_of({{5}}));
  CHECK(likely.front().mass > 0.8);
  double mass = 0;
  for (const auto& each : likely) mass += each.mass;
  CHECK(mass <= Approx(1));
  causes::TestSet all;
  all.word[0] = 0xf;
  CHECK(particles.mean_mismatches(all) == 0);
  for (const Explanation& particle : particles.all()) CHECK(particle.size >= 1);
  tell({5}, false);  // the same pool hit and was clear
  CHECK(particles.misfit());
}

TEST_CASE("tests as a bit matrix say what a look at each test says") {
  Random random(2);
  constexpr std::size_t n = 70;
  causes::Tests tests(n);
  std::vector<std::pair<SuspectSet, bool>> told;
  for (int i = 0; i < 100; ++i) {
    SuspectSet set(n);
    for (SuspectId suspect = 0; suspect < n; ++suspect) set.set(suspect, random.below(2) == 0);
    told.emplace_back(set, random.below(2) == 0);
    tests.add(set, told.back().second, 0.1);
  }
  CHECK(tests.size() == 100);
  CHECK_FALSE(tests.full());
  for (int game = 0; game < 50; ++game) {
    const Causes sets = random_causes(random, n);
    const Explanation explanation = explanation_of(sets);
    const causes::TestSet covered = tests.covered(explanation), wrong = tests.mismatches(covered);
    const causes::TestSet without = tests.covered(explanation, 0);
    for (std::size_t test = 0; test < 100; ++test) {
      const auto holds = [&](const causes::TestSet& set) { return (set.word[test / 64] >> (test % 64) & 1) != 0; };
      const auto& [set, hit] = told[test];
      const bool predicted = fails(sets, neutralised_beside(Active(set)));
      CHECK(holds(covered) == predicted);
      CHECK(holds(wrong) == (predicted != hit));
      Causes rest;
      for (std::size_t i = 1; i < explanation.size; ++i)
        rest.emplace_back(explanation.cause[i].begin(), explanation.cause[i].end());
      CHECK(holds(without) == fails(rest, neutralised_beside(Active(set))));
    }
  }
}

TEST_CASE("an explanation holds no cause that is part of another, and is the same in any order") {
  const Explanation one = explanation_of({{0, 1}, {2}}), other = explanation_of({{2}, {1, 0}});
  CHECK(one == other);
  Explanation nested = explanation_of({{0, 1}});
  causes::Cause lone;
  lone.add(1);
  nested.add(lone);
  CHECK_FALSE(nested.legal(1));
  CHECK_FALSE(nested.legal(0));
  nested.remove(0);
  CHECK(nested.legal(0));
  CHECK(nested == explanation_of({{1}}));
}
