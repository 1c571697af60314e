// Verdicts that are sometimes wrong, at a rate that nobody tells: the rate is learnt, and what is said to be sure is.
#include <cmath>

#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("the flip chance follows the evidence and is never taken for nothing") {
  const auto believed = [](int passes, int fails) {
    EvidenceLog log(3, std::nullopt, 0.01);
    CHECK(log.flip() == Approx(0.04));
    for (int i = 0; i < passes; ++i) log.tell(evidence_of(neutralised(3, {0}), Verdict::pass));
    for (int i = 0; i < fails; ++i) log.tell(evidence_of(neutralised(3, {0}), Verdict::fail));
    return log.believed_flip();
  };
  CHECK(believed(1, 0) == Approx(0.04));  // by itself it says nothing
  CHECK(believed(100, 0) == Approx(1.0 / 125));
  CHECK(believed(80, 20) == Approx(21.0 / 125));
  CHECK(believed(50, 50) < 0.3);
}

TEST_CASE("stated confidence is what is measured, with a flip chance that nobody tells", "[often]") {
  for (double wanted : {0.8, 0.95}) {
    double right = 0, stated = 0, games = 0;
    for (double flip : {0.03, 0.12})
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Problem problem = problem_of(24, 8);
        problem.confidence = wanted;
        problem.flip_probability.reset();
        const PlayedGame game = play_planted(problem, {.cause_sizes = {1, 1}, .flip = flip}, seed);
        if (game.state != State::proved) continue;
        ++games;
        right += game.exact;
        stated += game.confidence;
        CHECK(game.confidence >= wanted);
      }
    INFO("wanted " << wanted << ": stated " << stated / games << ", right " << right / games << " of " << games);
    CHECK(games > 70);
    const double share = stated / games;
    CHECK(right / games >= share - 3 * std::sqrt(share * (1 - share) / games));
  }
}

TEST_CASE("with noise every small predicate and random larger ones are answered as surely as was asked", "[often]") {
  constexpr double kFlip = 0.05;
  double proved = 0, wrong = 0, games = 0;
  std::uint64_t seed = 0;
  const auto judge = [&](std::size_t n, const Causes& causes) {
    for (std::size_t slots : {1, 8}) {
      Problem problem = problem_of(n, slots, ++seed);
      problem.flip_probability = kFlip;
      Random flips(seed);
      const Oracle truth = exact(causes);
      const Game game = play(problem, [&](const Neutralised& neutralised) {
        const bool wrong_now = flips.unit() < kFlip;
        return (truth(neutralised) == Verdict::fail) != wrong_now ? Verdict::fail : Verdict::pass;
      });
      ++games;
      if (game.answer.state != State::proved) continue;
      ++proved;
      wrong += !minimal_fix(truth, n, game.answer.culprit_set);
    }
  };
  for (unsigned n = 1; n <= 4; ++n)
    for_each_antichain(n, [&](const Causes& causes) {
      if (!causes.empty()) judge(n, causes);
    });
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const std::size_t n = 5 + random.below(6);
    judge(n, random_causes(random, n));
  }
  INFO(wrong << " wrong, " << proved << " proved of " << games);
  CHECK(proved > 0.95 * games);
  CHECK(wrong <= 0.01 * proved + 3 * std::sqrt(0.01 * proved));
}
