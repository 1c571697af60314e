// Where a search stands, as it follows from what was told.
#include "strategies/phases.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"
#include "tests/strategies/story.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

Evidence with_signature(Evidence evidence, std::vector<double> signature) {
  evidence.signature = std::move(signature);
  return evidence;
}

}  // namespace

TEST_CASE("phases: both ends come first, in any order") {
  CHECK(Story(problem_of(4)).phase() == Phase::both_ends);
  CHECK(Story(problem_of(4)).as_is(kFail).phase() == Phase::both_ends);
  CHECK(Story(problem_of(4)).all_neutralised(kPass).phase() == Phase::both_ends);
  CHECK(Story(problem_of(4)).ends().phase() == Phase::bisecting);
  CHECK(Story(problem_of(4)).all_neutralised(kPass).as_is(kFail).phase() == Phase::bisecting);
}

TEST_CASE("phases: it is over where there is nothing to find, or the subject as it is never runs") {
  CHECK(Story(problem_of(4)).as_is(kPass).phase() == Phase::over);
  CHECK(Story(problem_of(4)).as_is(kBroke, 2).phase() == Phase::both_ends);
  CHECK(Story(problem_of(4)).as_is(kBroke, 3).phase() == Phase::over);
}

TEST_CASE("phases: where everything neutralised breaks, who cannot be neutralised is searched before anything else") {
  Story story(problem_of(4));
  story.as_is(kFail).all_neutralised(kBroke);
  CHECK(story.phase() == Phase::runnable);
  const Oracle truth = [](const Neutralised& set) { return set.test(2) ? kBroke : set.test(0) ? kPass : kFail; };
  story.while_in(Phase::runnable, truth);
  CHECK(story.phase() != Phase::runnable);
  REQUIRE(story.phases().ordered());
  CHECK(story.phases().always_active() == active(4, {2}));
  CHECK(story.phases().least_active() == active(4, {}));  // what the problem allows
}

TEST_CASE("phases: where everything neutralised fails, parts of it are tried") {
  Story story(problem_of(8));
  story.as_is(kFail).all_neutralised(kFail);
  CHECK(story.phase() == Phase::in_part);
  CHECK(story.phases().fails_neutralised());
}

TEST_CASE("phases: an engine that believes leads with several slots, with noise, and where first steps tell") {
  CHECK(Story(problem_of(6, 2)).ends().phase() == Phase::engine_asks);
  CHECK(Story(problem_of(6, 2), EngineKind::ordered).ends().phase() == Phase::bisecting);
  CHECK(Story(problem_of(6), EngineKind::causes).ends().phase() == Phase::engine_asks);
  Problem noisy = problem_of(6);
  noisy.flip_probability = 0.05;
  CHECK(Story(noisy).as_is(kFail, 3).all_neutralised(kPass, 3).phase() == Phase::engine_asks);

  const auto first_steps = [](std::vector<double> signature, EngineKind engine) {
    Story story(problem_of(6), engine);
    story.all_neutralised(kPass);
    return story.tell(with_signature(evidence_of(neutralised(6, {}), kFail), std::move(signature))).phase();
  };
  CHECK(first_steps({500, -300, 40, 2}, EngineKind::automatic) == Phase::engine_asks);
  CHECK(first_steps({500, -300, 4, 2}, EngineKind::automatic) == Phase::bisecting);  // loud at two steps only
  CHECK(first_steps({500, -300, 40, 2}, EngineKind::ordered) == Phase::bisecting);
}

TEST_CASE("phases: once the culprits are known their causes are named, and a further one that a trial shows") {
  Story story(problem_of(8));
  const Oracle truth = exact({{2, 5}, {2, 7}});  // mended by 2 alone
  story.ends().while_in(Phase::bisecting, truth);
  CHECK(story.phase() == Phase::naming);
  REQUIRE(story.phases().ordered()->found() == std::vector<SuspectId>{2});
  story.while_in(Phase::naming, truth);
  REQUIRE(story.phases().cause_searches().size() == 1);
  CHECK(story.phases().cause_searches().front()->complete());
  CHECK_FALSE(story.phases().unexplained());
  const bool five = std::ranges::count(story.phases().cause_searches().front()->found(), 5) > 0;
  story.active_were({2, five ? 7UL : 5UL}, kFail);
  CHECK(story.phases().cause_searches().size() == 2);
  story.while_in(Phase::naming, truth);
  CHECK(story.standing().named_causes() == Causes{{2, 5}, {2, 7}});
}

TEST_CASE("phases: verdicts that contradict each other are settled before anything builds on them") {
  Story story(problem_of(4));
  story.ends().active_were({0, 1}, kPass);
  CHECK(story.phase() == Phase::bisecting);
  story.active_were({0}, kFail);
  CHECK(story.phase() == Phase::settling);
  story.active_were({0}, kPass, 2);  // it was a slip
  CHECK(story.phase() == Phase::bisecting);
  CHECK(Story(problem_of(4)).ends().active_were({0}, kFail).active_were({0}, kPass).phase() == Phase::settling);
}

TEST_CASE("phases: a contradiction that stays is never built upon") {
  Story story(problem_of(12));
  story.ends().active_were({0, 1, 2}, kPass, 3).active_were({0}, kFail, 3);
  CHECK(story.phases().contradiction().has_value());
  CHECK(story.phase() == Phase::settling);
}

TEST_CASE("phases: a revised verdict takes back what was built on it") {
  Story story(problem_of(8));
  story.ends();
  REQUIRE(story.phases().ordered());
  story.as_is(kPass, 2);  // it failed once and passed twice
  CHECK(story.phase() == Phase::over);
  CHECK_FALSE(story.phases().ordered());
  story.as_is(kFail, 2).while_in(Phase::bisecting, exact({{3}}));
  CHECK(story.phases().ordered()->found() == std::vector<SuspectId>{3});  // as if nothing had happened
}

TEST_CASE("phases: whatever of the truth is told, in whatever order, the search stands at the same point") {
  Random random(23);
  for (int game = 0; game < 60; ++game) {
    const std::size_t n = 3 + random.below(4), slots = 1 + random.below(2);
    const Oracle truth = exact(random_causes(random, n));
    std::vector<Neutralised> told{neutralised(n, {}), neutralised_beside(active(n, {}))};
    for (std::size_t i = random.below(8); i > 0; --i) told.emplace_back(SuspectSet(n, random.below(1U << n)));
    Story one(problem_of(n, slots)), other(problem_of(n, slots));
    for (const Neutralised& set : told) one.tell(evidence_of(set, truth(set)));
    random.shuffle(std::span(told));
    for (const Neutralised& set : told) other.tell(evidence_of(set, truth(set)));
    CHECK(one.phase() == other.phase());
    REQUIRE(one.phases().ordered());
    CHECK(one.phases().ordered()->found() == other.phases().ordered()->found());
  }
}
