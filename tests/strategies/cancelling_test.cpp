// Faults that cancel each other beside a fix that passes, and the traces of them.
#include "strategies/effects.hpp"

#include <cmath>

#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

constexpr std::size_t kFour = 4;

Evidence off_by(double difference, const std::vector<SuspectId>& members, Verdict verdict) {
  Evidence evidence = evidence_of(neutralised(kFour, members), verdict);
  evidence.delta = difference;
  evidence.standard_error = 0.0002;
  return evidence;
}

Evidence undecided(double p_bad, double difference, const std::vector<SuspectId>& members) {
  Evidence evidence = off_by(difference, members, kUndecided);
  evidence.p_bad = p_bad;
  return evidence;
}

/// A search that was told that suspect 0 alone is at fault, and this.
Search told(const Evidence& beside, double flip) {
  constexpr double fault = 0.02;
  Problem problem = problem_of(kFour);
  problem.flip_probability = flip;
  Search search(problem);
  for (int times = flip > 0 ? 3 : 1; times > 0; --times) {
    search.tell(off_by(fault, {}, kFail));
    search.tell(off_by(0, {0, 1, 2, 3}, kPass));
    search.tell(off_by(fault, {1, 2, 3}, kFail));
    search.tell(off_by(0.0001, {0}, kPass));
  }
  search.tell(beside);
  return search;
}

}  // namespace

TEST_CASE("nobody is accused while a set that neutralises more than the fix may fail") {
  const auto answer = [](const Evidence& beside, double flip = 0) { return told(beside, flip).answer(); };
  const Answer hidden = answer(undecided(0.65, -0.0083, {0, 1}));
  CHECK(hidden.state == State::stuck);
  CHECK(hidden.hindrance == Hindrance::noise);
  REQUIRE(hidden.hidden);
  CHECK(hidden.hidden->neutralised == neutralised(kFour, {0, 1}));
  CHECK(hidden.explanation.find("may cancel each other") != std::string::npos);

  CHECK(answer(undecided(0.35, 0.003, {0, 1})).state == State::proved);          // leans to pass
  CHECK(answer(undecided(0.65, 0.0083, {1, 2})).state == State::proved);         // the cause is active
  CHECK(answer(undecided(0.65, -0.0083, {0, 1}), 0.05).state == State::proved);  // with noise a lean means nothing
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

TEST_CASE("two faults that cancel make nobody else guilty, whatever engine leads") {
  const auto difference = [](const Active& active) {
    return 3.0 * active.test(2) - 3.0 * active.test(11) + 2.0 * active.test(17);
  };
  const std::size_t slots = GENERATE(1, 4);
  const EngineKind engine = GENERATE(EngineKind::automatic, EngineKind::ordered, EngineKind::causes);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Game game = play_judged(
        problem_of(24, slots, seed),
        [&](const Neutralised& neutralised) {
          const double delta = difference(active_beside(neutralised));
          Evidence evidence = evidence_of(neutralised, std::abs(delta) > 1 ? kFail : kPass);
          evidence.delta = delta;
          evidence.standard_error = 0.1;
          return evidence;
        },
        600, engine);
    INFO("seed " << seed << ", " << slots << " slots, engine " << static_cast<int>(engine));
    if (game.answer.state != State::proved) continue;
    for (const std::vector<SuspectId>& cause : game.answer.causes)
      for (SuspectId member : cause) CHECK((member == 2 || member == 11 || member == 17));
  }
}
