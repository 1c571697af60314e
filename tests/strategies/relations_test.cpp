// Suspects that matter only while others are active, and suspects of which one at most can be neutralised: against
// brute force, for every engine that has no need of measured differences.
#include "strategies/relations.hpp"

#include <rapidcheck.h>

#include "strategies/simulate/forecast.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

// 2 needs 1, 1 needs 0; 4 needs 3 and 0.
Problem chain() {
  Problem problem = problem_of(6);
  problem.suspects[1].only_with = {0};
  problem.suspects[2].only_with = {1};
  problem.suspects[4].only_with = {3, 0};
  return problem;
}

Problem random_problem(Random& random, std::uint64_t seed) {
  Problem problem = problem_of(2 + random.below(7), std::array<std::size_t, 3>{1, 2, 8}[random.below(3)], seed);
  const std::size_t n = problem.suspects.size();
  std::vector<SuspectId> order(n);
  for (SuspectId i = 0; i < n; ++i) order[i] = i;
  random.shuffle(std::span(order));
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t needs = random.below(5) < 2 ? 1 + random.below(2) : 0; needs > 0; --needs)
      problem.suspects[order[i]].only_with.push_back(order[random.below(i)]);
  for (Suspect& suspect : problem.suspects) {
    suspect.odds = random.below(4) == 0 ? 20.0 : 1.0;
    suspect.price = static_cast<double>(random.below(3));
  }
  return problem;
}

// The truth as the relations make it: what cannot matter does no harm.
Oracle related(const Relations& relations, const Causes& causes) {
  return [&relations, causes](const Neutralised& neutralised) {
    return fails(causes, neutralised_beside(relations.effective(active_beside(neutralised)))) ? Verdict::fail
                                                                                              : Verdict::pass;
  };
}

void check_minimal_causes(const Game& game, const Relations& relations, const Oracle& truth) {
  const std::size_t n = game.problem.suspects.size();
  SuspectSet kept(n);
  for (SuspectId suspect : game.answer.excluded) kept.set(suspect);
  for (const auto& cause : game.answer.causes) {
    const Active active(set_of(n, relations.with_needs(cause)) | kept);
    if (truth(neutralised_beside(active)) != Verdict::fail) throw std::runtime_error("a cause that does not fail");
    for (SuspectId member : cause) {
      Active less = active;
      less.reset(member);
      if (truth(neutralised_beside(less)) != Verdict::pass) throw std::runtime_error("a cause that is not minimal");
    }
  }
}

}  // namespace

TEST_CASE("sets of one effect have one smallest and one largest form") {
  const Relations relations(chain());
  CHECK(relations.effective(active(6, {1, 2, 4, 5})) == active(6, {5}));
  CHECK(relations.effective(active(6, {0, 2, 3, 4})) == active(6, {0, 3, 4}));
  CHECK(relations.widest(active(6, {3})) == active(6, {1, 2, 3, 4}));
  CHECK(relations.with_needs(std::vector<SuspectId>{2}) == std::vector<SuspectId>{0, 1, 2});
  CHECK(relations.outermost(std::vector<SuspectId>{0, 2, 3}) == std::vector<SuspectId>{2, 3});
  CHECK(relations.needed_first({2, 5, 1, 4, 0, 3}) == std::vector<SuspectId>{5, 0, 1, 2, 3, 4});
  Problem circle = chain();
  circle.suspects[0].only_with = {2};
  CHECK_THROWS_AS(Relations(circle), std::invalid_argument);
}

TEST_CASE("exclusive groups: the likely choices come first") {
  Problem problem = problem_of(5);
  problem.exclusive = {{0, 1}, {2, 3}};
  problem.suspects[3].odds = 10;
  const Relations relations(problem);
  REQUIRE(relations.least_active_sets().size() == 4);
  CHECK(relations.least_active_sets()[0].test(2));
  CHECK_FALSE(relations.least_active_sets()[0].test(3));
}

TEST_CASE("a flag that matters only with another one is named alone, with no trial for the other") {
  for (std::size_t slots : {1, 8}) {
    Problem problem = problem_of(256, slots);
    for (SuspectId i = 1; i < 100; ++i) problem.suspects[i].only_with = {0};
    const Relations relations(problem);
    for (SuspectId guilty : {SuspectId{0}, SuspectId{50}}) {
      const Game game = play(problem, related(relations, {{guilty}}));
      REQUIRE(game.answer.state == State::proved);
      CHECK(game.answer.causes == Causes{{guilty}});
      CHECK(game.answer.culprit_set == std::vector<SuspectId>{guilty});
      CHECK(game.told.size() <= (slots == 1 ? 16 : 40));
    }
  }
}

TEST_CASE("of two fixes the cheap one is taken: what two guilty flags need") {
  Problem problem = problem_of(64, 1);
  for (Suspect& suspect : problem.suspects) suspect.price = 1;
  problem.suspects[10].only_with = problem.suspects[40].only_with = {5};
  const Relations relations(problem);
  const Game game = play(problem, related(relations, {{10}, {40}}));
  CHECK(game.answer.causes == Causes{{10}, {40}});
  CHECK(game.answer.culprit_set == std::vector<SuspectId>{5});
  CHECK(replays(game));
}

TEST_CASE("random needs: minimal, sufficient, named, proved, and no set is run twice in another form") {
  RC_ASSERT(rc::check([](std::uint64_t seed) {
    Random random(seed);
    const Problem problem = random_problem(random, seed);
    const std::size_t n = problem.suspects.size();
    const Relations relations(problem);
    const Oracle truth = related(relations, random_causes(random, n));
    for (EngineKind engine : {EngineKind::automatic, EngineKind::causes}) {
      const Game game = play(problem, truth, 1000, engine);
      if (game.answer.state != State::proved) throw std::runtime_error("not proved: " + game.answer.explanation);
      if (!minimal_fix(truth, n, game.answer.culprit_set)) throw std::runtime_error("not a minimal fix");
      check_minimal_causes(game, relations, truth);
      if (!replays(game)) throw std::runtime_error("the certificate does not replay");
      std::set<SuspectSet> seen;
      for (const Evidence& evidence : game.told)
        if (!seen.insert(relations.effective(active_beside(evidence.neutralised))).second && !as_is_again(game, evidence))
          throw std::runtime_error("a set was run twice");
    }
  }));
}

TEST_CASE("what must stay active from some trial on is neutralised no more and not accused, whatever was told before") {
  RC_ASSERT(rc::check([](std::uint64_t seed) {
    Random random(seed);
    const std::size_t n = 2 + random.below(7);
    Problem problem = problem_of(n, std::array<std::size_t, 3>{1, 2, 8}[random.below(3)], seed);
    const Oracle truth = exact(random_causes(random, n));
    const EngineKind engine = std::array{EngineKind::automatic, EngineKind::ordered, EngineKind::causes}[random.below(3)];
    const Game before = play(problem, truth, 1000, engine);
    Active kept = active(n, {});
    for (std::size_t count = 1 + random.below(2); count > 0; --count) kept.set(random.below(n));
    for (const SuspectId suspect : members_of(kept)) problem.suspects[suspect].stays_active = true;
    Search search(problem, engine);
    const std::size_t told = random.below(before.told.size() + 1);
    for (std::size_t i = 0; i < told; ++i) search.tell(before.told[i]);
    for (std::size_t trials = 0; search.answer().state == State::searching; ++trials)
      for (const Trial& trial : search.ask(problem.slots, {})) {
        if (trials > 1000) throw std::runtime_error("endless search");
        if (trial.neutralised.intersects(kept)) throw std::runtime_error("neutralised what must stay active");
        search.tell(evidence_of(trial.neutralised, truth(trial.neutralised)));
      }
    const Answer& answer = search.answer();
    if (answer.excluded != members_of(kept)) throw std::runtime_error("it is not said what stayed active");
    if (truth(neutralised_beside(kept)) == Verdict::fail) {
      if (answer.state != State::outside_suspects) throw std::runtime_error("not outside: " + answer.explanation);
      return;
    }
    if (answer.state != State::proved) throw std::runtime_error("not proved: " + answer.explanation);
    if (set_of(n, answer.culprit_set).intersects(kept)) throw std::runtime_error("in the fix");
    if (!minimal_fix(truth, n, answer.culprit_set)) throw std::runtime_error("not a minimal fix");
    for (const auto& cause : answer.causes)
      if (set_of(n, cause).intersects(kept)) throw std::runtime_error("accused");
  }));
}

TEST_CASE("needs that do not hold are given up: nobody is accused in place of what should not matter") {
  for (EngineKind engine : {EngineKind::automatic, EngineKind::causes}) {
    Problem problem = problem_of(64);
    problem.suspects[50].only_with = {7};
    const Game game = play(
        problem, [](const Neutralised& neutralised) { return neutralised.test(50) ? Verdict::pass : Verdict::fail; }, 1000,
        engine);
    REQUIRE(game.answer.state == State::proved);
    CHECK(game.answer.culprit_set == std::vector<SuspectId>{50});
    CHECK(game.answer.causes == Causes{{50}});
    CHECK(game.answer.needs_belied);
  }
}

TEST_CASE("needs that do not hold, beside a suspect whose neutralising breaks the run") {
  for (const std::size_t slots : {1, 8})
    for (EngineKind engine : {EngineKind::automatic, EngineKind::causes}) {
      Problem problem = problem_of(32, slots);
      problem.suspects[20].only_with = {7};
      const Game game = play(
          problem,
          [](const Neutralised& neutralised) {
            return neutralised.test(3) ? Verdict::unresolved : neutralised.test(20) ? Verdict::pass : Verdict::fail;
          },
          1000, engine);
      REQUIRE(game.answer.state == State::proved);
      CHECK(game.answer.causes == Causes{{20}});
      CHECK(game.answer.not_neutralisable == std::vector<SuspectId>{3});
    }
}

TEST_CASE("a cause is shown with nothing else active, so needs that do not hold hide no member of it") {
  for (const std::size_t slots : {1, 2, 8})
    for (const EngineKind engine : {EngineKind::automatic, EngineKind::ordered, EngineKind::causes})
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        CAPTURE(slots, engine, seed);
        Problem problem = problem_of(8, slots, seed);
        problem.suspects[5].only_with = {1};
        const Game game = play(problem, exact({{5, 6}}), 1000, engine);
        REQUIRE(game.answer.state == State::proved);
        CHECK(game.answer.causes == Causes{{5, 6}});
      }
}

TEST_CASE("needs that do not hold, where verdicts add up slowly") {
  for (const double p_bad : {0.8, 0.9}) {
    Problem problem = problem_of(32);
    problem.flip_probability = std::nullopt;
    problem.suspects[20].only_with = {7};
    Search search(problem);
    for (int round = 0; round < 300 && search.answer().state == State::searching; ++round)
      for (const Trial& trial : search.ask(1, {})) {
        const bool bad = !trial.neutralised.test(20);
        const bool end = trial.purpose == Purpose::everything_neutralised;
        search.tell({.neutralised = trial.neutralised,
                     .verdict = bad ? (end ? Verdict::inconclusive : Verdict::fail) : Verdict::pass,
                     .p_bad = bad ? (end ? p_bad : 0.9999) : 0.0001,
                     .delta = {}});
      }
    REQUIRE(search.answer().state == State::proved);
    CHECK(search.answer().causes == Causes{{20}});
  }
}

TEST_CASE("random needs that may not hold, lone culprits: the answer is right") {
  RC_ASSERT(rc::check([](std::uint64_t seed) {
    Random random(seed);
    const Problem problem = random_problem(random, seed);
    const std::size_t n = problem.suspects.size();
    SuspectSet guilty(n);
    for (std::size_t count = 1 + random.below(3); count > 0; --count) guilty.set(random.below(n));
    const Oracle truth = [&](const Neutralised& neutralised) {
      return guilty.is_subset_of(neutralised) ? Verdict::pass : Verdict::fail;
    };
    for (EngineKind engine : {EngineKind::automatic, EngineKind::causes}) {
      const Game game = play(problem, truth, 1000, engine);
      if (game.answer.state != State::proved) throw std::runtime_error("not proved: " + game.answer.explanation);
      if (game.answer.culprit_set != members_of(guilty)) throw std::runtime_error("another culprit set");
    }
  }));
}

TEST_CASE("random exclusive groups: never two of one neutralised, and a fix is found where one is allowed") {
  RC_ASSERT(rc::check([](std::uint64_t seed) {
    Random random(seed);
    Problem problem = random_problem(random, seed);
    const std::size_t n = problem.suspects.size();
    for (std::size_t groups = 1 + random.below(2); groups > 0; --groups) {
      std::set<SuspectId> group;
      while (group.size() < std::min<std::size_t>(n, 2 + random.below(2))) group.insert(random.below(n));
      problem.exclusive.emplace_back(group.begin(), group.end());
    }
    const Relations relations(problem);
    const Causes causes = random_causes(random, n);
    const Oracle truth = related(relations, causes);
    const Oracle guarded = [&](const Neutralised& neutralised) {
      for (const auto& group : problem.exclusive)
        if (std::count_if(group.begin(), group.end(), [&](SuspectId s) { return neutralised.test(s); }) > 1)
          throw std::runtime_error("two of an exclusive group neutralised");
      return truth(neutralised);
    };
    const bool possible =
        std::any_of(relations.least_active_sets().begin(), relations.least_active_sets().end(),
                    [&](const Active& least) { return truth(neutralised_beside(least)) == Verdict::pass; });
    for (EngineKind engine : {EngineKind::automatic, EngineKind::causes}) {
      const Game game = play(problem, guarded, 1000, engine);
      if (!possible) {
        if (game.answer.state != State::outside_suspects) throw std::runtime_error("a fix that cannot be");
        continue;
      }
      if (game.answer.state != State::proved) throw std::runtime_error("not proved: " + game.answer.explanation);
      if (!minimal_fix(truth, n, game.answer.culprit_set)) throw std::runtime_error("not a minimal fix");
      check_minimal_causes(game, relations, truth);
      if (!replays(game)) throw std::runtime_error("the certificate does not replay");
    }
  }));
}

TEST_CASE("simulated games honour needs and exclusive groups") {
  Problem problem = problem_of(64, 8);
  for (SuspectId i = 1; i < 20; ++i) problem.suspects[i].only_with = {0};
  problem.exclusive = {{30, 31, 32}};
  const Forecast forecast = simulate(problem, {.cause_sizes = {1, 2}}, 20);
  CHECK(forecast.exact == 1.0);
  CHECK(forecast.unfinished == 0.0);
}
