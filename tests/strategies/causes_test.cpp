// The engine `causes`: its proposal, its posterior, its search with several slots, noise, prices and misfits.
#include <map>

#include "strategies/causes/chain.hpp"
#include "strategies/causes/design.hpp"
#include "strategies/causes/draw_cache.hpp"
#include "strategies/causes/particles.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

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

TEST_CASE("a member draw has the densities it draws by") {
  causes::Tests tests(70);
  tests.add(set_of(70, {1, 2, 3, 68}), true, 0.1);
  tests.add(set_of(70, {2, 4, 69}), false, 0.1);
  tests.add(set_of(70, {2, 3}), true, 0.1);
  std::vector<double> odds(70, 1.0);
  odds[68] = 20;
  const causes::OddsLevels levels(odds);
  causes::MemberDraw draw(tests, levels);
  causes::Cause taken;
  taken.add(1);
  draw.count_against(tests.clears(), taken);
  draw.count_missed(tests.hits(), {.against = 0.1, .missed = 0.1});
  double sum = 0;
  for (std::size_t j = 0; j < 70; ++j) sum += draw.density(j);
  CHECK(sum == Approx(1.0));
  CHECK(draw.density(1) == 0.0);
  CHECK(draw.density(3) == Approx(100 * draw.density(5)));  // in both hits
  CHECK(draw.density(2) == Approx(10 * draw.density(5)));   // in both, and in the clear one
  Random random(3);
  int threes = 0;
  for (int i = 0; i < 20000; ++i) threes += draw.draw(random) == 3;
  CHECK(threes / 20000.0 == Approx(draw.density(3)).margin(0.015));
}

TEST_CASE("a cached draw is the draw that would be made anew, also after another one took its place or a test was added") {
  causes::Tests tests(70);
  Random random(5);
  const auto add_test = [&] {
    SuspectSet set(70);
    for (SuspectId suspect = 0; suspect < 70; ++suspect) set.set(suspect, random.below(2) == 0);
    tests.add(set, random.below(2) == 0, 0.1);
  };
  for (int i = 0; i < 4; ++i) add_test();
  const causes::OddsLevels levels(std::vector<double>(70, 1.0));
  causes::DrawCache cache(tests, levels, 2);
  for (int i = 0; i < 60; ++i) {
    if (i % 20 == 19) add_test();
    causes::Cause taken;
    taken.add(random.below(3));
    const causes::MemberDraw::Weights weights{.against = 0.1, .missed = random.below(2) == 0 ? 0.1 : 0.3};
    const causes::MemberDraw& kept = cache.prepared(tests.clears(), taken, tests.hits(), weights);
    causes::MemberDraw anew(tests, levels);
    anew.count_against(tests.clears(), taken);
    anew.count_missed(tests.hits(), weights);
    for (std::size_t suspect = 0; suspect < 70; ++suspect) REQUIRE(kept.density(suspect) == anew.density(suspect));
  }
}

TEST_CASE("pools split what the particles believe: each halves it, and no known one is chosen") {
  constexpr std::size_t kSize = 8;
  std::vector<causes::Explanation> particles;
  for (std::size_t i = 0; i < 800; ++i) {
    causes::Cause lone;
    lone.add(i % kSize);
    particles.emplace_back().add(lone);
  }
  const std::vector<double> price(kSize, 1);
  const auto pools = [&](std::size_t count, std::vector<SuspectSet> known) {
    std::vector<SuspectSet> batch;
    Random random(3);
    causes::design_pools(particles, price, 0, count, known, batch, random);
    return batch;
  };
  const std::vector<SuspectSet> three = pools(3, {});
  REQUIRE(three.size() == 3);
  std::map<std::vector<bool>, int> told_apart;  // three halves that are independent name one of eight
  for (SuspectId suspect = 0; suspect < kSize; ++suspect)
    ++told_apart[{three[0].test(suspect), three[1].test(suspect), three[2].test(suspect)}];
  for (const SuspectSet& pool : three) CHECK(pool.count() == kSize / 2);
  CHECK(told_apart.size() == kSize);
  const std::vector<SuspectSet> other = pools(1, {three[0]});
  REQUIRE(other.size() == 1);
  CHECK(other[0] != three[0]);
  particles.assign(800, particles.front());
  CHECK(pools(3, {}).empty());  // nothing is left to tell
}

TEST_CASE("the chain keeps the posterior: long-run shares agree with enumeration") {
  // Three suspects, one noisy test {0, 1} that hit; every antichain with weight k! P(k) prod prior(c) * likelihood.
  causes::Tests tests(3);
  tests.add(set_of(3, {0, 1}), true, 0.25);
  causes::Chain chain(tests, {1.0, 1.0, 1.0});
  Random random(7);
  causes::Explanation state = chain.from_prior(random);
  std::map<bool, double> lone;  // share of states that are exactly one lone culprit, by whether it explains the test
  double all = 0;
  for (int i = 0; i < 60000; ++i) {
    chain.walk(state, 2, random);
    all += 1;
    if (state.size == 1 && state.cause[0].size() == 1) lone[state.cause[0].member[0] != 2] += 1;
  }
  // Two lone culprits explain the test, one does not and pays 0.25: shares 8 : 1.
  REQUIRE(lone[false] > 0);
  CHECK(lone[true] / lone[false] == Approx(8.0).epsilon(0.1));
  CHECK(lone[true] / all > 0.3);
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
