// Searches by the first steps of trials: what they find, what they must not believe, and when they leave it to others.
#include <algorithm>
#include <map>

#include "strategies/signatures/engine.hpp"
#include "strategies/signatures/likelihood.hpp"
#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

namespace bisectd::strategies::testing {
namespace {

double normal_of(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

/// Trials with a signature: the sum of those of the active causes, rounding of 1, and what `deviating` suspects change
/// without harm. Signature trials have no verdict.
struct SignedWorld {
  std::size_t size = 0;
  Causes causes;
  Causes deviating = {};
  double least = 100;  ///< of a cause's steps, in healthy spreads; each further one is three times as large
  double offset = 0;   ///< of the device, whatever is neutralised
  bool lies = false;   ///< signatures have nothing to do with the causes
  std::uint64_t seed = 1;
  Random random{7};
  std::size_t short_ones = 0;

  std::vector<double> direction(std::uint64_t number, double length) const {
    Random own(seed * 1000 + number);
    std::vector<double> steps;
    for (int i = 0; i < 12; ++i) steps.push_back(length * normal_of(own));
    return steps;
  }

  Evidence run(const Trial& trial) {
    Evidence evidence = evidence_of(trial.neutralised, fails(causes, trial.neutralised) ? Verdict::fail : Verdict::pass);
    evidence.signature.assign(12, 0.0);
    for (double& step : evidence.signature) step = normal_of(random);
    double length = least;
    std::uint64_t number = 0;
    for (const Causes* each : {&causes, &deviating})
      for (const auto& cause : *each) {
        const std::vector<double> steps = direction(++number, lies ? 300 * random.unit() : length);
        if (lies || fails({cause}, trial.neutralised))
          for (std::size_t i = 0; i < steps.size(); ++i) evidence.signature[i] += steps[i];
        length *= 3;
      }
    const std::vector<double> of_device = direction(99, offset);
    for (std::size_t i = 0; i < 12; ++i) evidence.signature[i] += of_device[i];
    evidence.judged = trial.purpose != Purpose::signature;
    short_ones += !evidence.judged;
    return evidence;
  }
};

Game play_signed(SignedWorld& world, std::size_t slots = 1, std::size_t most = 400) {
  Game game;
  game.problem = problem_of(world.size, slots, world.seed);
  Search search(game.problem);
  while (game.told.size() < most) {
    const auto trials = search.ask(slots, {});
    if (trials.empty()) break;
    for (const Trial& trial : trials) {
      game.told.push_back(world.run(trial));
      search.tell(game.told.back());
    }
  }
  game.answer = search.answer();
  return game;
}

TEST_CASE("signatures name all causes at once, in trials of a few steps") {
  const auto planted =
      GENERATE(Causes{{17}}, Causes{{17}, {90}}, Causes{{3}, {64}, {120}}, Causes{{5, 77}}, Causes{{1, 2}, {60}});
  SignedWorld world{.size = 128, .causes = planted, .seed = GENERATE(1, 2, 3)};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == planted);
  CHECK(world.short_ones * 2 > game.told.size());
  CHECK(game.told.size() < 30);
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

TEST_CASE("what deviates and does no harm is not accused") {
  SignedWorld world{.size = 64, .causes = {{4}}, .deviating = {{9}, {20}}, .seed = GENERATE(1, 2, 3, 4)};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.culprit_set == std::vector<SuspectId>{4});
  const std::vector<Deviation>& harmless = game.answer.harmless_deviations;
  CHECK(std::ranges::count(harmless, SuspectId{20}, &Deviation::suspect) == 1);
  CHECK(std::ranges::is_sorted(harmless, std::ranges::greater{}, &Deviation::size));
}

TEST_CASE("nobody of a pair is ever said to do no harm, though each passes alone, be it of the fix or of a cause") {
  const SuspectId needed = 5, needs = 20;
  const bool needs_it =
      GENERATE(false, true);  // the one then works only while the other is active, and is a cause by itself
  SignedWorld world{.size = 32, .causes = {{needed, needs}}};
  Problem problem = problem_of(world.size);
  if (needs_it) {
    for (Suspect& suspect : problem.suspects) suspect.price = 10;
    problem.suspects[needed].price = 1;
    problem.suspects[needs].only_with = {needed};
  }
  const std::vector<double> of_needed = world.direction(1, 200), of_needs = world.direction(2, 300);
  Search search(problem);
  for (int trials = 0; trials < 80; ++trials) {
    const std::vector<Trial> next = search.ask(1, {});
    if (next.empty()) break;
    Evidence seen = world.run(next.front());
    const bool first = !next.front().neutralised.test(needed), second = !next.front().neutralised.test(needs);
    for (std::size_t i = 0; i < seen.signature.size(); ++i)
      seen.signature[i] += (first ? of_needed[i] : 0) + (second && (first || !needs_it) ? of_needs[i] : 0);
    search.tell(seen);
    for (const Deviation& one : search.answer().harmless_deviations) CHECK((one.suspect != needed && one.suspect != needs));
  }
  CHECK(search.answer().state == State::proved);
}

TEST_CASE("a fix that passed is not forgotten, whatever its signature makes likely") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}, .seed = GENERATE(1, 2, 3)};
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

TEST_CASE("where the noise hides whether a member of the fix is needed, no other set is tried, and what is proved is said") {
  SignedWorld world{.size = 64, .causes = {{4}, {30}}, .seed = GENERATE(1, 2, 3, 4)};
  const std::size_t slots = GENERATE(1, 4);
  Problem problem = problem_of(world.size, slots, world.seed);
  problem.budgeted =
      GENERATE(false, true);  // noise might be waited out, but verdicts that are never wrong repeat themselves
  Search search(problem);
  std::size_t told = 0;
  while (told < 100) {
    const std::vector<Trial> next = search.ask(slots, {});
    if (next.empty()) break;
    for (const Trial& trial : next) {
      Evidence seen = world.run(trial);
      const bool near_the_target = !trial.neutralised.test(4) && trial.neutralised.test(30);
      if (seen.judged && near_the_target) seen.verdict = Verdict::inconclusive, seen.p_bad = 0.5, seen.delta = 0.005;
      search.tell(seen);
      ++told;
    }
  }
  CHECK(told < 30 + 4 * slots);
  CHECK(search.answer().state == State::stuck);
  CHECK(search.answer().hindrance == Hindrance::noise);
  const std::string& text = search.answer().explanation;
  CHECK(text.find("Proved: with #4 and #30 neutralised it passes") != std::string::npos);
  CHECK(text.find("Proved to be guilty: #30 by itself") != std::string::npos);
  CHECK(text.find("The noise hides whether it passes with ") != std::string::npos);
}

TEST_CASE("a fix whose verdict was wrong is no fix any more, and what it left active is found by its signature") {
  SignedWorld world{.size = 64, .causes = {{30}, {50}, {60}, {4}}, .least = 40, .seed = GENERATE(1, 2, 3)};  // #30
  const Neutralised wrong = neutralised(64, {4, 50, 60});
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
  REQUIRE(search.answer().culprit_set == std::vector<SuspectId>{4, 50, 60});
  for (int i = 0; i < 2; ++i) search.tell(world.run({wrong, Purpose::certificate, ""}));
  CHECK(play(false) <= 5);  // 12 where the engine still believed in it, and verdicts had to find #30
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{4, 30, 50, 60});
}

TEST_CASE("what healthy suspects hide is found by verdicts, and what stood out is not searched again") {
  const Plant plant{
      .cause_sizes = {1, 1, 1}, .signature_steps = 12, .interaction = 0.3, .least_benign = 1e-8, .most_benign = 1e-4};
  const Forecast forecast = simulate(problem_of(128), plant, 8);
  CHECK(forecast.exact == 1.0);
  CHECK(forecast.named == 1.0);
  CHECK(forecast.trials.mean <= 21);  // 23.0 where splits went on until patience ended
}

TEST_CASE("of a fix with harmless members each is tried alone, and one more fix") {
  SignedWorld world{
      .size = 64, .causes = {{4}}, .deviating = {{9}, {20}, {33}, {41}, {50}}, .least = 300, .seed = GENERATE(1, 2, 3)};
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
      .size = 64, .causes = {{4}, {9}, {20}, {33}, {50}, {60}}, .least = 40, .seed = GENERATE(1, 2, 3)};  // 243 times
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
  const Relations relations(problem_of(4));
  const std::vector<SuspectId> fix{1, 3};
  for (const Claim& claim : certificate(log, relations, active(4, {}), fix, Causes{{1}, {3}}))
    if (claim.kind == Claim::Kind::member_needed) CHECK(claim.proved == (claim.subject.front() == 3));
}

TEST_CASE("what is wrong only while another one is neutralised is no part of the fix") {
  // 4 is wrong; 1 cannot bear what 0 hands it where that is neutralised. Both alone, all others neutralised, fail.
  SignedWorld world{.size = 16, .causes = {{4}}, .seed = GENERATE(1, 2, 3, 4, 5)};
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

TEST_CASE("signatures that have nothing to do with the harm mislead nobody") {
  SignedWorld world{.size = 24, .causes = {{4}, {11, 20}}, .lies = true, .seed = GENERATE(1, 3, 4)};
  const Game game = play_signed(world);
  CHECK(game.answer.state == State::proved);
  CHECK(game.answer.causes == world.causes);
  CHECK(game.told.size() < 60);
}

TEST_CASE("harm without a signature is found by verdicts, beside causes that have one") {
  // Only suspect 9 shows in the first steps; 4 does its harm later.
  SignedWorld world{.size = 64, .causes = {{9}}, .seed = GENERATE(1, 2, 3)};
  const Causes late{{4}};
  Search search(problem_of(64));
  std::size_t trials = 0;
  for (; trials < 200; ++trials) {
    const auto next = search.ask(1, {});
    if (next.empty()) break;
    Evidence evidence = world.run(next.front());
    if (fails(late, next.front().neutralised)) evidence.verdict = Verdict::fail, evidence.p_bad = 0.999;
    search.tell(evidence);
  }
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{4, 9});
}

TEST_CASE("a further cause that only another fix shows is named, though it has no signature") {
  SignedWorld world{.size = 32, .causes = {{2, 5}}, .seed = GENERATE(1, 2, 3)};
  const Causes silent{{1, 2}};
  Search search(problem_of(32));
  const auto tell = [&](const Trial& trial) {
    Evidence evidence = world.run(trial);
    if (fails(silent, trial.neutralised)) evidence.verdict = Verdict::fail, evidence.p_bad = 0.999;
    search.tell(evidence);
  };
  const auto play_on = [&] {
    for (std::size_t trials = 0; trials < 200; ++trials) {
      const auto next = search.ask(1, {});
      if (next.empty()) return;
      tell(next.front());
    }
  };
  play_on();
  REQUIRE(search.answer().state == State::proved);
  CHECK(search.answer().culprit_set == std::vector<SuspectId>{2});
  tell({.neutralised = neutralised(32, {5}), .purpose = Purpose::certificate, .reason = {}});
  play_on();
  CHECK(search.answer().state == State::proved);
  CHECK(search.answer().causes == Causes{{1, 2}, {2, 5}});
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

TEST_CASE("trials whose first steps are lost are not asked for ever") {
  // Whatever has suspect 7 active is not a number in its first steps.
  SignedWorld world{.size = 64, .causes = {{4}}, .seed = GENERATE(1, 2)};
  Search search(problem_of(64));
  std::size_t trials = 0;
  for (; trials < 200; ++trials) {
    const auto next = search.ask(1, {});
    if (next.empty()) break;
    Evidence evidence = world.run(next.front());
    if (!next.front().neutralised.test(7) && trials > 1) evidence.signature.clear();
    if (!evidence.judged) evidence.verdict = Verdict::inconclusive, evidence.p_bad = 0.5;
    search.tell(evidence);
  }
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

TEST_CASE("eight devices: three causes in four rounds") {
  const Forecast forecast =
      simulate(problem_of(256, 8), {.cause_sizes = {1, 1, 1}, .signature_steps = 12, .interaction = 0.3}, 5);
  CHECK(forecast.named == 1.0);
  CHECK(forecast.rounds.mean <= 4);
}

TEST_CASE("a component's gain is the log likelihood that it adds") {
  Random random(3);
  signatures::Rows rows(40);
  for (int row = 0; row < 9; ++row) {
    SuspectSet active(40);
    for (SuspectId i = 0; i < 40; ++i)
      if (random.below(2)) active.set(i);
    std::vector<double> steps;
    for (int i = 0; i < 6; ++i) steps.push_back(normal_of(random) + (active.test(3) ? 20 * i : 0));
    rows.add(active, steps);
  }
  signatures::Likelihood likelihood(rows, rows.whitened(rows.signature(0), 0), 1, 0, 3);
  for (const SuspectId suspect : {3u, 5u, 9u}) {
    const auto gain = likelihood.gain(rows.pattern(suspect));
    const double before = likelihood.nats();
    likelihood.add(rows.pattern(suspect), gain.variance);
    CHECK(likelihood.nats() == Approx(before + gain.nats));
    likelihood.remove(rows.pattern(suspect), gain.variance);
    CHECK(likelihood.nats() == Approx(before));
    CHECK(likelihood.gain(rows.pattern(suspect)).nats == Approx(gain.nats));
    likelihood.add(rows.pattern(suspect), gain.variance);
  }
}

}  // namespace
}  // namespace bisectd::strategies::testing
