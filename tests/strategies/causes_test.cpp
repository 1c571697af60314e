// The engine `causes`: its posterior, its search with several slots, noise, prices and misfits.
#include <cmath>
#include <map>

#include "strategies/causes/belief.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

Oracle flipping(const Oracle& truth, double flip, std::uint64_t seed) {
  return [truth, flip, random = std::make_shared<Random>(seed)](const Neutralised& neutralised) {
    const Verdict verdict = truth(neutralised);
    if (random->unit() >= flip) return verdict;
    return verdict == Verdict::fail ? Verdict::pass : Verdict::fail;
  };
}

}  // namespace

TEST_CASE("explanations are as frequent as their posterior says, by enumeration of all of them") {
  // Two noisy votes over three suspects: {0, 1} failed, {1, 2} passed.
  const std::vector<double> odds{1.0, 2.0, 1.0};
  const double first = 0.2, second = 1.0 / 3;
  std::map<Causes, double> wanted, seen;
  double sum = 0;
  for_each_antichain(3, [&](const Causes& sets) {
    if (sets.empty()) return;
    constexpr double kOfSize[] = {0, 0.85, 0.12, 0.03};
    const double k = static_cast<double>(sets.size());
    double mass = std::tgamma(k + 1) * std::pow(k, -2.5);  // orders of the causes, prior of their number
    for (const std::vector<SuspectId>& members : sets) {
      mass *= kOfSize[members.size()] * std::tgamma(static_cast<double>(members.size()) + 1);
      for (SuspectId member : members) mass *= odds[member] / 4;
    }
    mass *= fails(sets, neutralised(3, {2})) ? 1 - first : first;
    mass *= fails(sets, neutralised(3, {0})) ? second : 1 - second;
    wanted[sets] = mass;
    sum += mass;
  });
  constexpr int kBeliefs = 100;
  for (std::uint64_t seed = 1; seed <= kBeliefs; ++seed) {
    causes::Belief belief(odds, false, 100, seed);
    belief.add(set_of(3, {0, 1}), {true, first});
    belief.add(set_of(3, {1, 2}), {false, second});
    for (causes::Explanation each : belief.explanations()) {
      std::ranges::sort(each);
      seen[each] += 1.0 / static_cast<double>(kBeliefs * belief.explanations().size());
    }
  }
  for (auto& [explanation, mass] : wanted) {
    INFO(explanation.size() << " causes, the first begins with " << explanation.front().front());
    CHECK(seen[explanation] == Approx(mass / sum).epsilon(0.1).margin(0.01));
  }
}

TEST_CASE("several slots: interactions are named and proved in few rounds") {
  std::size_t rounds = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Game game = play(problem_of(200, 8, seed), exact({{17}, {40, 150}}));
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.causes == Causes{{17}, {40, 150}});
    CHECK(replays(game));
    rounds += game.rounds;
  }
  CHECK(rounds <= 3 * 9);
}

TEST_CASE("noise: the answer is right and proved by agreeing trials") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Problem problem = problem_of(60, 4, seed);
    problem.flip_probability = 0.05;
    const Game game = play(problem, flipping(exact({{5}, {50}}), 0.05, seed), 400);
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{5, 50});
    for (const Claim& claim : game.answer.certificate) CHECK(claim.proved);
  }
}

TEST_CASE("a cause of more suspects than the engine can believe in is handed over, with nothing lost") {
  const Game game = play(problem_of(40, 8), exact({{3, 11, 22, 33, 39}}), 400, EngineKind::causes);
  REQUIRE(game.answer.state == State::proved);
  CHECK(game.answer.causes == Causes{{3, 11, 22, 33, 39}});
}

TEST_CASE("among the fixes of an interaction the cheap one is proved") {
  Problem problem = problem_of(50, 8);
  for (Suspect& suspect : problem.suspects) suspect.price = 1;
  problem.suspects[7].price = 100;
  const Game game = play(problem, exact({{7, 30}}));
  REQUIRE(game.answer.state == State::proved);
  CHECK(game.answer.culprit_set == std::vector<SuspectId>{30});
}
