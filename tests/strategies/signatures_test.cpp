// Searches by the first steps of trials: what they find, and what they must not believe.
#include <algorithm>
#include <map>

#include "strategies/signatures/engine.hpp"
#include "strategies/signatures/likelihood.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/signed_world.hpp"

namespace bisectd::strategies::testing {
namespace {

TEST_CASE("signatures name all causes at once, in trials of a few steps") {
  std::size_t short_ones = 0, told = 0;
  for (const Causes& planted :
       {Causes{{17}}, Causes{{17}, {90}}, Causes{{3}, {64}, {120}}, Causes{{5, 77}}, Causes{{1, 2}, {60}}})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SignedWorld world{.size = 128, .causes = planted, .seed = seed};
      const Game game = play_signed(world);
      CHECK(game.answer.state == State::proved);
      CHECK(game.answer.causes == planted);
      CHECK(game.told.size() < 30);
      short_ones += world.short_ones;
      told += game.told.size();
    }
  CHECK(static_cast<double>(short_ones) > 0.6 * static_cast<double>(told));  // 0.64
}

TEST_CASE("a device that is off whatever is neutralised costs no trial") {
  const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u);
  SignedWorld world{.size = 64, .causes = {{4, 30}, {9}}, .least = 300, .seed = seed};
  SignedWorld off = world;
  off.offset = 50;
  const Game same = play_signed(world), game = play_signed(off);
  CHECK(game.answer.causes == world.causes);
  CHECK(game.told.size() <= same.told.size() + 4);
}

TEST_CASE("signatures: every claim of the answer is shown by a verdict, none by a signature") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}};
  Game game = play_signed(world);
  std::erase_if(game.told, [](const Evidence& seen) { return !seen.judged; });
  REQUIRE(game.answer.state == State::proved);
  CHECK(replays(game));
}

TEST_CASE("what must stay active is neutralised in no trial, those of a few steps included") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}};
  Problem problem = problem_of(world.size);
  problem.suspects[20].stays_active = true;
  Search search(problem);
  play_on(search, world, [](const Trial& trial, Evidence&) { CHECK_FALSE(trial.neutralised.test(20)); });
  CHECK(world.short_ones > 0);
  CHECK(search.answer().causes == world.causes);
}

TEST_CASE("what deviates and does no harm is not accused") {
  SignedWorld world{.size = 64, .causes = {{4}}, .deviating = {{9}, {20}}, .seed = GENERATE(1U, 2, 3, 4)};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.culprit_set == std::vector<SuspectId>{4});
  const std::vector<Deviation>& harmless = game.answer.harmless_deviations;
  CHECK(std::ranges::count(harmless, SuspectId{20}, &Deviation::suspect) == 1);
  CHECK(std::ranges::is_sorted(harmless, std::ranges::greater{}, &Deviation::size));
}

TEST_CASE("nobody of a pair is ever said to do no harm, though each passes alone") {
  const SuspectId one = 5, other = 20;
  SignedWorld world{.size = 32, .causes = {{one, other}}};
  const std::vector<double> of_one = world.direction(1, 200), of_other = world.direction(2, 300);
  Search search(problem_of(world.size));
  for (int trials = 0; trials < 80; ++trials) {
    const std::vector<Trial> next = search.ask(1, {});
    if (next.empty()) break;
    Evidence seen = world.run(next.front());
    for (std::size_t i = 0; i < seen.signature.size(); ++i)
      seen.signature[i] +=
          (next.front().neutralised.test(one) ? 0 : of_one[i]) + (next.front().neutralised.test(other) ? 0 : of_other[i]);
    search.tell(seen);
    for (const Deviation& deviation : search.answer().harmless_deviations)
      CHECK((deviation.suspect != one && deviation.suspect != other));
  }
  CHECK(search.answer().state == State::proved);
}

TEST_CASE("a fix that passed is not forgotten, whatever its signature makes likely") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}, .seed = GENERATE(1U, 2, 3)};
  const std::vector<double> only_with_the_fix = world.direction(70, 3000);
  Search search(problem_of(world.size));
  bool fixed = false;
  int splits = 0;  // after the fix
  for (std::size_t trials = 0; trials < 100; ++trials) {
    const std::vector<Trial> next = search.ask(1, {});
    if (next.empty()) break;
    const Neutralised& neutralised = next.front().neutralised;
    splits += fixed && next.front().purpose == Purpose::signature;
    Evidence seen = world.run(next.front());
    if (neutralised == set_of(64, {4, 30})) {
      fixed = true;
      for (std::size_t i = 0; i < seen.signature.size(); ++i) seen.signature[i] += only_with_the_fix[i];
    }
    search.tell(seen);
  }
  CHECK(fixed);
  CHECK(splits <= 3);
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().causes == world.causes);
}

TEST_CASE("a fix whose verdict was wrong is no fix any more, and what it left active is found by its signature", "[often]") {
  const Neutralised wrong = neutralised(64, {4, 50, 60});  // without #30
  int believed_wrong = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SignedWorld world{.size = 64, .causes = {{30}, {50}, {60}, {4}}, .least = 10, .seed = seed};
    Search search(problem_of(world.size));
    const auto play = [&](bool believed) {
      for (int trials = 0; trials < 100; ++trials) {
        const std::vector<Trial> next = search.ask(1, {});
        if (next.empty()) return trials;
        Evidence seen = world.run(next.front());
        if (believed && next.front().neutralised == wrong) seen.verdict = Verdict::pass, seen.p_bad = 0;
        search.tell(seen);
      }
      return 100;
    };
    play(true);
    believed_wrong += search.answer().culprit_set == std::vector<SuspectId>{4, 50, 60};
    for (int i = 0; i < 2; ++i) search.tell(world.run({wrong, Purpose::certificate, ""}));
    CHECK(play(false) <= 5);  // 12 where the engine still believed in it, and verdicts had to find #30
    CHECK(search.answer().state == State::proved);
    CHECK(search.answer().culprit_set == std::vector<SuspectId>{4, 30, 50, 60});
  }
  CHECK(believed_wrong >= 6);  // in the others #30 is found before the wrong fix is asked
}

TEST_CASE("of a fix with harmless members each is tried alone, and one more fix") {
  SignedWorld world{
      .size = 64, .causes = {{4}}, .deviating = {{9}, {20}, {33}, {41}, {50}}, .least = 300, .seed = GENERATE(1U, 2, 3)};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == world.causes);
  const auto fixes = std::ranges::count_if(game.told, [](const Evidence& seen) {
    return seen.judged && seen.neutralised.any() && seen.neutralised.count() <= 6 && seen.verdict == Verdict::pass;
  });
  CHECK(fixes <= 3);
}

TEST_CASE("causes far smaller than the greatest one are found once that is neutralised") {
  SignedWorld world{
      .size = 64, .causes = {{4}, {9}, {20}, {33}, {50}, {60}}, .least = 40, .seed = GENERATE(1U, 2, 3)};  // 243 times
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == world.causes);
}

TEST_CASE("a member that does nothing in the subject as it is needs a trial of its own, though it fails alone") {
  EvidenceLog log(4, 0, 0.01);
  const auto tell = [&](const Neutralised& neutralised, Verdict verdict, std::vector<double> signature) {
    Evidence seen = evidence_of(neutralised, verdict);
    seen.signature = std::move(signature);
    log.tell(seen);
  };
  tell(neutralised(4, {}), Verdict::fail, {900, 10, 5});
  tell(neutralised_beside(active(4, {1})), Verdict::fail, {0, 700, 800});
  tell(neutralised_beside(active(4, {3})), Verdict::fail, {900, 11, 4});
  tell(neutralised(4, {1, 3}), Verdict::pass, {0, 1, 0});
  const std::vector<SuspectId> fix{1, 3};
  for (const Claim& claim : certificate(log, active(4, {}), {fix, {{1}, {3}}}))
    if (claim.kind == Claim::Kind::member_needed) CHECK(claim.proved == (claim.subject.front() == 3));
}

TEST_CASE("what is wrong only while another one is neutralised is no part of the fix") {
  // 4 is wrong; 1 cannot bear what 0 hands it where that is neutralised. Both alone, all others neutralised, fail.
  SignedWorld world{.size = 16, .causes = {{4}}, .seed = static_cast<std::uint64_t>(GENERATE(range(1, 13)))};
  const std::vector<double> of_one = world.direction(50, 200);
  Search search(problem_of(world.size));
  for (std::size_t trials = 0; trials < 80; ++trials) {
    const std::vector<Trial> next = search.ask(1, {});
    if (next.empty()) break;
    Evidence seen = world.run(next.front());
    if (seen.neutralised.test(0) && !seen.neutralised.test(1)) {
      seen.verdict = Verdict::fail;
      for (std::size_t i = 0; i < of_one.size(); ++i) seen.signature[i] += of_one[i];
    }
    search.tell(seen);
  }
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{4});
  CHECK(search.answer().causes == Causes{{4}});
}

TEST_CASE("a search by signatures goes on after a restart as if nothing had happened") {
  SignedWorld world{.size = 100, .causes = {{4}, {30, 40}, {77}}};
  const Game game = play_signed(world);
  for (std::size_t until = 0; until < game.told.size(); until += 3) {
    Search again(game.problem);
    for (std::size_t i = 0; i < until; ++i) again.tell(game.told[i]);
    for (std::size_t i = until; i < game.told.size(); ++i) {
      const auto next = again.ask(1, {});
      REQUIRE(next.size() == 1);
      CHECK(next.front().neutralised == game.told[i].neutralised);
      again.tell(game.told[i]);
    }
    CHECK(again.answer().causes == game.answer.causes);
  }
}

TEST_CASE("signatures that come together are weighed once, and lead to what they lead to one by one", "[often]") {
  const auto planted = GENERATE(Causes{{17}, {90}}, Causes{{5, 77}}, Causes{{3}, {20, 110}, {64}});
  SignedWorld world{.size = 128, .causes = planted, .deviating = {{33}, {44}, {55}}, .seed = GENERATE(1U, 2, 3)};
  const Problem problem = problem_of(world.size, 8, world.seed);
  Search together(problem), apart(problem);
  while (true) {
    const std::vector<Trial> trials = together.ask(8, {}), same = apart.ask(8, {});
    REQUIRE(std::ranges::equal(trials, same, {}, &Trial::neutralised, &Trial::neutralised));
    if (trials.empty()) break;
    for (const Trial& trial : trials) {
      const Evidence seen = world.run(trial);
      together.tell(seen);
      apart.tell(seen);
      (void)apart.answer();
    }
  }
  CHECK(together.answer().state == State::proved);
  CHECK(together.answer().causes == planted);
}

TEST_CASE("eight devices: three causes in four rounds") {
  const Forecast forecast =
      simulate(problem_of(256, 8), {.cause_sizes = {1, 1, 1}, .signature_steps = 12, .interaction = 0.3}, 5);
  CHECK(forecast.named == 1.0);
  CHECK(forecast.rounds.mean <= 4);
}

}  // namespace
}  // namespace bisectd::strategies::testing
