// When the search asks again, and when it ends: noise that hides the answer, verdicts that are certain and wrong, runs
// that break because nothing runs any more, a proof that a later trial refutes.
#include <map>

#include "strategies/patience.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

constexpr EngineKind kEngines[] = {EngineKind::automatic, EngineKind::ordered, EngineKind::causes};

Problem noisy_problem(std::size_t size, std::size_t slots = 1, std::uint64_t seed = 1) {
  Problem problem = problem_of(size, slots, seed);
  problem.flip_probability.reset();
  return problem;
}

std::map<SuspectSet, int> times_asked(const Game& game) {
  std::map<SuspectSet, int> times;
  for (const Evidence& told : game.told) ++times[told.neutralised];
  return times;
}

Evidence undecided(const Neutralised& neutralised, double p_bad) {
  return {
      .neutralised = neutralised, .verdict = Verdict::inconclusive, .p_bad = p_bad, .delta = 0.004, .standard_error = 0.01};
}

}  // namespace

TEST_CASE("a set that stays undecided is asked nine times at most, and the search ends by the noise") {
  for (const EngineKind engine : kEngines)
    for (const std::size_t slots : {1, 8}) {
      Random random(3);
      const Game game = play_judged(
          noisy_problem(64, slots),
          [&](const Neutralised& neutralised) {
            if (neutralised.none()) return evidence_of(neutralised, Verdict::fail);
            return undecided(neutralised, random.below(2) ? 0.48 : 0.52);
          },
          300, engine);
      CHECK(game.told.size() < 200);
      CHECK(game.answer.state == State::stuck);
      CHECK(game.answer.hindrance == Hindrance::noise);
      for (const auto& [set, times] : times_asked(game)) CHECK(times <= 9);
      REQUIRE(game.answer.hidden);
      CHECK(game.answer.hidden->could_hide() == Approx(0.024));
      CHECK(game.answer.explanation.find("up to 2.4 %") != std::string::npos);
    }
}

TEST_CASE("one culprit of 900, noise 0.3 %, 8 % of crashes: named, whatever the first trials of the ends say", "[often]") {
  std::size_t trials = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Problem problem = noisy_problem(900, 1, seed);
    problem.budgeted = true;
    const SuspectId culprit = seed * 131;
    // The mean of three runs beside one reference: whatever passes leaves a doubt of 0.1 to 0.5.
    const Game game = play_judged(
        problem, NoisyJudge{.causes = {{culprit}}, .noise = 0.0035, .crash = 0.08, .random = std::make_shared<Random>(seed)},
        300);
    INFO("seed " << seed << ": " << game.answer.explanation);
    CHECK(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{culprit});
    trials += game.told.size();
  }
  CHECK(trials < 6 * 60);
}

TEST_CASE("what the noise hides is repeated until the budget is spent, and ends the search without one") {
  for (const bool budgeted : {false, true}) {
    Problem problem = noisy_problem(40);
    problem.budgeted = budgeted;
    const Oracle truth = exact({{7}});
    // The fix alone stays undecided: something small is left.
    const Game game = play_judged(
        problem,
        [&](const Neutralised& neutralised) {
          return truth(neutralised) == Verdict::pass && !neutralised.all() && neutralised.count() < 3
                     ? undecided(neutralised, 0.5)
                     : evidence_of(neutralised, truth(neutralised));
        },
        300);
    INFO(game.answer.explanation);
    if (budgeted) CHECK(game.told.size() == 300);
    else CHECK(game.told.size() < 100);
    CHECK(game.answer.state == (budgeted ? State::searching : State::stuck));
    CHECK(game.answer.hindrance == Hindrance::noise);
    REQUIRE(game.answer.hidden);
    CHECK(game.answer.hidden->neutralised == set_of(40, {7}));
  }
}

TEST_CASE("doubtful looks may acquit, but only a judge's own verdict condemns") {
  EvidenceLog log(3, 0.04, 0.01);
  const Neutralised one = neutralised(3, {1}), other = neutralised(3, {2});
  for (int i = 0; i < 30; ++i) {
    log.tell(undecided(one, 0.7));
    log.tell(undecided(other, 0.3));
  }
  CHECK(log.find(active_beside(one))->verdict == Verdict::inconclusive);
  CHECK(log.find(active_beside(other))->verdict == Verdict::pass);
  log.tell(evidence_of(one, Verdict::fail));
  CHECK(log.find(active_beside(one))->verdict == Verdict::fail);
}

TEST_CASE("a healthy subject that looks bad by the luck of the reference is never said to have its cause outside",
          "[often]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Game game = play_judged(
        noisy_problem(30, 4, seed),
        [&](const Neutralised& neutralised) {
          return neutralised.none() ? evidence_of(neutralised, Verdict::fail) : undecided(neutralised, 0.75);
        },
        200);
    CHECK((game.answer.state == State::stuck || game.answer.state == State::searching));
    CHECK((game.answer.state == State::searching || game.answer.hindrance == Hindrance::noise));
  }
}

TEST_CASE("a verdict that is certain and wrong is outvoted, a pass as well as a fail") {
  for (const Verdict wrong : {Verdict::fail, Verdict::pass}) {
    EvidenceLog log(3, 0.04, 0.01);
    const Neutralised set = neutralised(3, {1});
    Evidence certain = evidence_of(set, wrong);
    certain.p_bad = wrong == Verdict::fail ? 1.0 : 0.0;
    log.tell(certain);
    log.tell(certain);
    CHECK(log.find(active_beside(set))->verdict == wrong);
    const Verdict right = wrong == Verdict::fail ? Verdict::pass : Verdict::fail;
    for (int i = 0; i < 5; ++i) log.tell(evidence_of(set, right));
    CHECK(log.find(active_beside(set))->verdict == right);
  }
}

TEST_CASE("what is said to be proved keeps within the error that was asked for, by the union of its claims", "[often]") {
  std::size_t proved = 0;
  for (const EngineKind engine : {EngineKind::automatic, EngineKind::ordered})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Problem problem = problem_of(12, 1, seed);
      problem.flip_probability = 0.05;
      Random flips(seed);
      const Game game = play_judged(
          problem,
          [&](const Neutralised& neutralised) {
            const bool bad = fails({{2, 7}}, neutralised) != (flips.unit() < 0.05);
            return evidence_of(neutralised, bad ? Verdict::fail : Verdict::pass);
          },
          400, engine);
      if (game.answer.state != State::proved) continue;
      ++proved;
      double wrong = 0;
      for (const Claim& claim : game.answer.certificate) {
        CHECK(claim.proved);
        if (claim.kind != Claim::Kind::member_needed) wrong += std::exp2(-claim.bits);
      }
      CHECK(wrong <= 0.01);
    }
  CHECK(proved > 55);
}

TEST_CASE("an outage does not end the search, and what broke in it shows nothing", "[often]") {
  for (const EngineKind engine : kEngines)
    for (const std::size_t slots : {1, 8, 64})
      for (const std::size_t begins : {1, 3, 20}) {
        std::size_t told = 0, asked_in_outage = 0;
        const Oracle truth = exact({{31}, {70}});
        Search search(problem_of(100, slots), engine);
        for (std::size_t round = 0; round < 400; ++round) {
          const bool down = told >= begins && round < 200;
          const std::vector<Trial> trials = search.ask(slots, {});
          if (trials.empty()) break;
          if (search.answer().hindrance == Hindrance::outage) {
            REQUIRE(trials.size() == 1);  // nothing but what is known to run
            CHECK(trials.front().neutralised.none());
          }
          asked_in_outage += down ? trials.size() : 0;
          for (const Trial& trial : trials) {
            ++told;
            search.tell(evidence_of(trial.neutralised, down ? Verdict::unresolved : truth(trial.neutralised)));
          }
        }
        INFO("slots " << slots << ", from trial " << begins << ": " << search.answer().explanation);
        REQUIRE(search.answer().state == State::proved);
        CHECK(search.answer().culprit_set == std::vector<SuspectId>{31, 70});
        CHECK(search.answer().not_neutralisable.empty());
        CHECK(asked_in_outage < 200 + 2 * slots + 8);
      }
}

TEST_CASE("a proof that a later trial refutes is taken back, also by an engine that takes in no more") {
  // More causes than `causes` can hold, and one beside them that the fix mends as well.
  Causes causes;
  for (SuspectId i = 0; i < 15; ++i) causes.push_back({4 * i});
  causes.push_back({20, 61, 62});
  const Oracle with_all = exact(causes);
  causes.pop_back();
  causes[5] = {20, 61};
  const Oracle truth = exact(causes);
  Search search(problem_of(64, 8), EngineKind::causes);
  const auto to_the_end = [&] {
    for (int round = 0; round < 300 && search.answer().state == State::searching; ++round)
      for (const Trial& trial : search.ask(8, {})) search.tell(evidence_of(trial.neutralised, truth(trial.neutralised)));
  };
  to_the_end();
  REQUIRE(search.answer().state == State::proved);
  // A trial of the other fix fails: 20 is in a further cause, with 63.
  Neutralised other = neutralised(64, search.answer().culprit_set);
  other.reset(20);
  other.set(61);
  search.tell(evidence_of(other, Verdict::fail));
  CHECK(search.answer().state != State::proved);
}

TEST_CASE("where no verdict is ever wrong, a proof ends as soon as one of its sets comes out otherwise") {
  const Game game = play(problem_of(12), exact({{3}, {8}}));
  REQUIRE(game.answer.state == State::proved);
  for (const Claim& claim : game.answer.certificate) {
    Search search(game.problem);
    for (const Evidence& each : game.told) search.tell(each);
    REQUIRE(search.answer().state == State::proved);
    const Verdict otherwise = claim.expected == Verdict::pass ? Verdict::fail : Verdict::pass;
    search.tell(evidence_of(claim.neutralised, otherwise));
    CHECK(search.answer().state == State::searching);
    CHECK(search.ask(1, {}).front().neutralised == claim.neutralised);
    for (int more = 0; more < 2; ++more) search.tell(evidence_of(claim.neutralised, otherwise));
    CHECK((search.answer().state != State::proved || search.answer().culprit_set != game.answer.culprit_set));
  }
}

TEST_CASE("ten thousand suspects are searched", "[often]") {
  const Game game = play(problem_of(10'000, 8), exact({{9'540}, {100}}), 400);
  REQUIRE(game.answer.state == State::proved);
  CHECK(game.answer.culprit_set == std::vector<SuspectId>{100, 9'540});
}
