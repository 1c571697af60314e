// Suspects that must stay active, against brute force.
#include <rapidcheck.h>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

TEST_CASE("what must stay active from some trial on is neutralised no more and not accused, whatever was told before",
          "[often]") {
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
