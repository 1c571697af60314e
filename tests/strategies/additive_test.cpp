// Measured differences: the sparse sum behind them is found, cancelling effects do no harm, and where effects do not add
// nothing wrong is said.
#include <cmath>
#include <set>

#include "strategies/additive/regression.hpp"
#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

SuspectSet random_half(std::size_t size, Random& random) {
  SuspectSet set(size);
  for (std::size_t i = 0; i < size; ++i)
    if (random.below(2)) set.set(i);
  return set;
}

using ErrorOf = std::function<std::optional<double>(double difference)>;

// Tells the difference that the active culprits' effects make, within the target of 1, with the standard error that the
// judge says.
Game play_sums(
    const Problem& problem, const std::function<double(const Active& active)>& difference, EngineKind engine,
    const ErrorOf& error = [](double) { return 0.1; }) {
  Search search(problem, engine);
  Game game;
  while (game.told.size() < 600) {
    const std::vector<Trial> trials = search.ask(problem.slots, {});
    if (trials.empty()) break;
    ++game.rounds;
    for (const Trial& trial : trials) {
      const double delta = difference(active_beside(trial.neutralised));
      Evidence evidence = evidence_of(trial.neutralised, std::abs(delta) > 1 ? Verdict::fail : Verdict::pass);
      evidence.delta = delta;
      evidence.standard_error = error(delta);
      game.told.push_back(evidence);
      search.tell(evidence);
    }
  }
  game.answer = search.answer();
  return game;
}

}  // namespace

TEST_CASE("the regression finds the few columns, their effects and the offset") {
  Random random(3);
  additive::Regression sums(60);
  for (int i = 0; i < 16; ++i) {
    const SuspectSet active = random_half(60, random);
    sums.add(active, 0.5 + 2.0 * active.test(7) - 3.0 * active.test(41) + 0.01 * (random.unit() - 0.5), 0.01);
  }
  const auto fits = sums.explain(8);
  REQUIRE(fits.size() == 1);
  CHECK(fits.front().support == std::vector<std::size_t>{7, 41});
  CHECK(fits.front().effect[0] == Approx(2.0).margin(0.02));
  CHECK(fits.front().effect[1] == Approx(-3.0).margin(0.02));
  CHECK(fits.front().offset == Approx(0.5).margin(0.02));
}

TEST_CASE("differences that nothing explains have no fit") {
  Random random(4);
  additive::Regression sums(30);
  for (int i = 0; i < 24; ++i) sums.add(random_half(30, random), 10 * random.unit(), 0.01);
  CHECK(sums.explain(5).empty());
}

TEST_CASE("additive: fewer trials than bits, whatever the signs, each culprit shown alone") {
  for (bool mixed : {false, true}) {
    const Forecast forecast =
        simulate(problem_of(200), {.cause_sizes = {1, 1, 1, 1, 1}, .effect_noise = 0.1, .mixed_signs = mixed}, 6,
                 EngineKind::additive);
    CHECK(forecast.exact == 1.0);
    CHECK(forecast.named == 1.0);
    CHECK(forecast.trials.mean < 33);  // log2 C(200, 5) = 31.2, less the proof's 6
  }
}

TEST_CASE("effects of either sign are found by their first steps, each culprit shown alone") {
  for (const std::size_t slots : {1, 8}) {
    const Plant five{
        .cause_sizes = {1, 1, 1, 1, 1}, .effect_noise = 0.1, .mixed_signs = true, .signature_steps = 12, .interaction = 0.3};
    const Forecast forecast = simulate(problem_of(200, slots), five, 6);
    CHECK(forecast.exact == 1.0);
    CHECK(forecast.named == 1.0);
    CHECK(forecast.trials.mean < 33);  // log2 C(200, 5) = 31.2
  }
}

TEST_CASE("effects that cancel are a contradiction for every verdict, and sums find the way out by themselves") {
  std::size_t solved = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto difference = [](const Active& active) {
      return 3.0 * active.test(2) + 5.0 * active.test(11) - 4.0 * active.test(17);
    };
    const Game game = play_sums(problem_of(24, 4, seed), difference, EngineKind::automatic);
    INFO("seed " << seed << " " << game.answer.explanation);
    if (game.answer.state == State::contradictory) continue;
    REQUIRE(game.answer.state == State::proved);
    Active active = as_it_is(24);
    for (SuspectId culprit : game.answer.culprit_set) active.reset(culprit);
    CHECK(std::abs(difference(active)) <= 1);  // whatever set it is, it is a fix
    ++solved;
  }
  CHECK(solved >= 10);
}

TEST_CASE("two faults that cancel make nobody else guilty, whatever engine leads") {
  const auto difference = [](const Active& active) {
    return 3.0 * active.test(2) - 3.0 * active.test(11) + 2.0 * active.test(17);
  };
  const std::size_t slots = GENERATE(1, 4);
  const EngineKind engine = GENERATE(EngineKind::automatic, EngineKind::ordered, EngineKind::causes);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Game game = play_sums(problem_of(24, slots, seed), difference, engine);
    INFO("seed " << seed << ", " << slots << " slots, engine " << static_cast<int>(engine));
    if (game.answer.state != State::proved) continue;
    for (const std::vector<SuspectId>& cause : game.answer.causes)
      for (SuspectId member : cause) CHECK((member == 2 || member == 11 || member == 17));
  }
}

TEST_CASE("effects that do not add are handed over with nothing lost") {
  const auto difference = [](const Active& active) { return active.test(3) || active.test(9) ? 2.0 : 0.0; };
  const Game game = play_sums(problem_of(40, 8), difference, EngineKind::additive);
  REQUIRE(game.answer.state == State::proved);
  CHECK(game.answer.causes == Causes{{3}, {9}});
  const auto pair = [](const Active& active) { return active.test(3) && active.test(9) ? 2.0 : 0.0; };
  const Game together = play_sums(problem_of(40, 8), pair, EngineKind::additive);
  REQUIRE(together.answer.state == State::proved);
  CHECK(together.answer.causes == Causes{{3, 9}});
}

TEST_CASE("a difference whose error is not known is not taken for exact") {
  std::size_t trials = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto difference = [&](const Active& active) {
      return 2.0 * active.test(3) + 3.0 * active.test(9) + 2.5 * active.test(20) + 0.2 * (random.unit() - 0.5);
    };
    const ErrorOf ended_early = [](double delta) { return std::abs(delta) > 1 ? std::nullopt : std::optional(0.1); };
    const Game game = play_sums(problem_of(100, 1, seed), difference, EngineKind::additive, ended_early);
    INFO("seed " << seed << " " << game.answer.explanation);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{3, 9, 20});
    trials += game.told.size();
  }
  INFO(trials);
  CHECK(trials < 12 * 25);
}

// As told of runs whose first steps a fault moves: twice the fault, which looks like a device that rounds coarsely.
TEST_CASE("where the judge takes faults for coarse rounding, the runs without them say how exact differences are") {
  const ErrorOf of_coarse_rounding = [](double delta) { return 0.05 + 2 * std::abs(delta); };
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto difference = [&](const Active& active) {
      return 4.0 * active.test(2) - 7.0 * active.test(11) + 5.0 * active.test(17) + 0.05 * (random.unit() - 0.5);
    };
    const Game game = play_sums(problem_of(40, 2, seed), difference, EngineKind::additive, of_coarse_rounding);
    INFO("seed " << seed << " " << game.answer.explanation);
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{2, 11, 17});
    CHECK(game.told.size() < 40);
  }
}

TEST_CASE("and where effects add up less exactly than that, they are found all the same") {
  const ErrorOf of_coarse_rounding = [](double delta) { return 0.01 + 0.3 * std::abs(delta); };
  std::size_t trials = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto difference = [](const Active& active) {
      return 4.0 * active.test(2) - 7.0 * active.test(11) + 5.0 * active.test(17) +
             0.3 * (active.test(2) && active.test(17));
    };
    const Game game = play_sums(problem_of(40, 2, seed), difference, EngineKind::additive, of_coarse_rounding);
    INFO("seed " << seed << " " << game.answer.explanation);
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{2, 11, 17});
    trials += game.told.size();
  }
  INFO(trials);
  CHECK(trials < 12 * 20);
}

TEST_CASE("differences that noise explains all are handed over after as many as those that nothing explains") {
  const auto difference = [](const Active& active) { return active.test(3) && active.test(9) ? 2.0 : 0.0; };
  const Game game = play_sums(problem_of(40, 1), difference, EngineKind::additive, [](double) { return 20.0; });
  REQUIRE(game.answer.state == State::proved);
  CHECK(game.answer.causes == Causes{{3, 9}});
  CHECK(game.told.size() < 80);
}
