// Searches whose first steps do not tell all or nothing of the harm: they are left to verdicts, or end with what is proved.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/strategies/signed_world.hpp"

namespace bisectd::strategies::testing {
namespace {

TEST_CASE("where the noise hides whether a member of the fix is needed, no other set is tried, and what is proved is said") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}, .seed = GENERATE(1U, 2, 3, 4)};
  const std::size_t slots = GENERATE(1, 4);
  Problem problem = problem_of(world.size, slots, world.seed);
  problem.budgeted =
      GENERATE(false, true);  // noise might be waited out, but verdicts that are never wrong repeat themselves
  Search search(problem);
  std::size_t told = 0;
  const auto run = [&](const Trial& trial) {
    Evidence seen = world.run(trial);
    const bool near_the_target = !trial.neutralised.test(4) && trial.neutralised.test(30);
    if (seen.judged && near_the_target) seen.verdict = Verdict::inconclusive, seen.p_bad = 0.5, seen.delta = 0.005;
    search.tell(seen);
    ++told;
  };
  // The cause alone may have been tried in vain before the fix: then the fix is tried all the same.
  const Trial alone{
      .neutralised = neutralised_beside(active(world.size, {4})), .purpose = Purpose::certificate, .reason = {}};
  if (GENERATE(false, true))
    for (int times = 0; times < 3; ++times) run(alone);
  while (told < 100) {
    const std::vector<Trial> next = search.ask(slots, {});
    if (next.empty()) break;
    for (const Trial& trial : next) run(trial);
  }
  CHECK(told < 30 + 4 * slots);
  CHECK(search.answer().state == State::stuck);
  CHECK(search.answer().hindrance == Hindrance::noise);
  const std::string& text = search.answer().explanation;
  CHECK(text.find("Proved: with #4 and #30 neutralised it passes") != std::string::npos);
  CHECK(text.find("Proved to be guilty: #30 by itself") != std::string::npos);
  CHECK(text.find("The noise hides whether it passes with ") != std::string::npos);
}

TEST_CASE("what healthy suspects hide is found by verdicts, and what stood out is not searched again", "[often]") {
  const Plant plant{
      .cause_sizes = {1, 1, 1}, .signature_steps = 12, .interaction = 0.3, .least_benign = 1e-8, .most_benign = 1e-4};
  const Forecast forecast = simulate(problem_of(128), plant, 8);
  CHECK(forecast.exact == 1.0);
  CHECK(forecast.named == 1.0);
  CHECK(forecast.trials.mean <= 21);  // 23.0 where splits went on until patience ended
}

TEST_CASE("signatures that have nothing to do with the harm mislead nobody", "[often]") {
  SignedWorld world{.size = 24, .causes = {{4}, {11, 20}}, .lies = true, .seed = GENERATE(1U, 2, 3, 4, 5, 6, 7, 8)};
  const Game game = play_signed(world);
  INFO(game.answer.explanation);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == world.causes);
  CHECK(game.told.size() < 60);
}

TEST_CASE("harm without a signature is found by verdicts, beside causes that have one") {
  // Only suspect 9 shows in the first steps; 4 does its harm later.
  SignedWorld world{.size = 64, .causes = {{9}}, .seed = GENERATE(1U, 2, 3)};
  const Causes late{{4}};
  Search search(problem_of(64));
  play_on(search, world, [&](const Trial& trial, Evidence& evidence) {
    if (fails(late, trial.neutralised)) evidence.verdict = Verdict::fail, evidence.p_bad = 0.999;
  });
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{4, 9});
}

TEST_CASE("a further cause that only another fix shows is named, though it has no signature") {
  SignedWorld world{.size = 32, .causes = {{2, 5}}, .seed = GENERATE(1U, 2, 3)};
  const Causes silent{{1, 2}};
  Search search(problem_of(32));
  const auto fails_silently = [&](const Trial& trial, Evidence& evidence) {
    if (fails(silent, trial.neutralised)) evidence.verdict = Verdict::fail, evidence.p_bad = 0.999;
  };
  play_on(search, world, fails_silently);
  REQUIRE(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{2});
  const Trial other_fix{.neutralised = neutralised(32, {5}), .purpose = Purpose::certificate, .reason = {}};
  Evidence of_other_fix = world.run(other_fix);
  fails_silently(other_fix, of_other_fix);
  search.tell(of_other_fix);
  play_on(search, world, fails_silently);
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().causes == Causes{{1, 2}, {2, 5}});
}

TEST_CASE("trials whose first steps are lost are not asked for ever") {
  // Whatever has suspect 7 active is not a number in its first steps.
  SignedWorld world{.size = 64, .causes = {{4}}, .seed = GENERATE(1U, 2)};
  Search search(problem_of(64));
  std::size_t trials = 0;
  play_on(search, world, [&](const Trial& trial, Evidence& evidence) {
    if (!trial.neutralised.test(7) && trials > 1) evidence.signature.clear();
    if (!evidence.judged) evidence.verdict = Verdict::inconclusive, evidence.p_bad = 0.5;
    ++trials;
  });
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{4});
}

TEST_CASE("a signature in the subject as it is alone") {
  SignedWorld world{.size = 1024, .causes = {{1, 300, 500, 700, 900}}};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == world.causes);
}

TEST_CASE("without a signature as it is, nothing but verdicts is asked for") {
  SignedWorld world{.size = 64, .causes = {{4}}, .least = 0.1};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(world.short_ones == 0);
}

}  // namespace
}  // namespace bisectd::strategies::testing
