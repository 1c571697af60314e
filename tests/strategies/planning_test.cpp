// What is asked next: one way to choose for each phase.
#include "strategies/planning.hpp"

#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/predicates.hpp"
#include "tests/strategies/story.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

using Sets = std::vector<std::vector<SuspectId>>;

}  // namespace

TEST_CASE("planning, both ends: as many of them as there are slots, none that is on its way or known") {
  const Story story(problem_of(3));
  CHECK(story.next_active(1) == Sets{{0, 1, 2}});
  CHECK(story.next_active(8) == Sets{{0, 1, 2}, {}});
  const std::vector<Trial> both = story.next(8);
  CHECK(both[0].purpose == Purpose::subject_as_is);
  CHECK(both[1].purpose == Purpose::everything_neutralised);
  CHECK(story.next(8, {both[0].neutralised}).size() == 1);
  CHECK(story.next(8, {both[0].neutralised, both[1].neutralised}).empty());
  CHECK(Story(problem_of(3)).as_is(kFail).next_active(8) == Sets{{}});
  CHECK(Story(problem_of(3)).as_is(kPass).next(8).empty());
}

TEST_CASE("planning, both ends: what may not be neutralised stays active") {
  Problem problem = problem_of(5);
  problem.suspects[4].stays_active = true;
  const Story story(problem);
  const std::vector<Trial> both = story.next(2);
  REQUIRE(both.size() == 2);
  CHECK(both[1].neutralised == neutralised(5, {0, 1, 2, 3}));
}

TEST_CASE("planning, settling: both sides of a contradiction once more, and nothing else") {
  Story story(problem_of(4));
  story.ends().active_were({0, 1}, kPass).active_were({0}, kFail);
  CHECK(story.next_active(8) == Sets{{0}, {0, 1}});
  story.active_were({0}, kFail, 2);  // thrice by now: the other side is asked alone
  CHECK(story.next_active(8) == Sets{{0, 1}});
  story.active_were({0, 1}, kPass, 2);
  CHECK(story.next(8).empty());  // neither gives way
}

TEST_CASE("planning, runnable: does it run with these neutralised? Then everything neutralised that can be") {
  Story story(problem_of(6));
  story.as_is(kFail).all_neutralised(kBroke);
  const std::vector<Trial> first = story.next();
  REQUIRE(first.size() == 1);
  CHECK(first.front().purpose == Purpose::runnable);
  CHECK(first.front().neutralised.any());
  CHECK_FALSE(first.front().neutralised.all());
  const auto runs_without = [](SuspectId breaking) {
    return [breaking](const Neutralised& set) { return set.test(breaking) ? kBroke : set.test(0) ? kPass : kFail; };
  };
  story.while_in(Phase::runnable, runs_without(4));
  CHECK(story.phases().breaking()->found() == std::vector<SuspectId>{4});
  CHECK(story.phases().verdict_of(active(6, {4})) == kPass);
}

TEST_CASE("planning, runnable: a set that ran is not run again for its verdict, however little that is worth") {
  Problem problem = problem_of(16);
  problem.flip_probability = 0.05;
  Story story(problem);
  story.as_is(kFail, 3).all_neutralised(kBroke);
  std::set<Neutralised> asked;
  while (story.phase() == Phase::runnable) {
    const Trial trial = story.next().at(0);
    if (trial.purpose == Purpose::runnable) CHECK(asked.insert(trial.neutralised).second);
    const bool breaks = trial.neutralised.test(4) || trial.neutralised.test(9);
    story.tell(evidence_of(trial.neutralised, breaks ? kBroke : trial.neutralised.test(0) ? kPass : kFail));
  }
  CHECK(story.phases().breaking()->found().size() == 2);
}

TEST_CASE("planning, in part: the parts that are left, each once, and none once one passed") {
  Story story(problem_of(8));
  story.as_is(kFail).all_neutralised(kFail);
  std::set<Neutralised> asked;
  for (int trials = 0; trials < 12; ++trials) {
    const std::vector<Trial> next = story.next();
    REQUIRE(next.size() == 1);
    CHECK(next.front().neutralised.any());
    CHECK(asked.insert(next.front().neutralised).second);
    story.tell(evidence_of(next.front().neutralised, kFail));
  }
  CHECK(story.next().empty());
  CHECK(story.standing().unmended() == Unmended::outside);
}

TEST_CASE("planning, bisecting: about half of them, as the first of several may stand in front; more cuts for more slots") {
  Story story(problem_of(16), EngineKind::ordered);
  story.ends();
  const std::vector<Trial> one = story.next();
  REQUIRE(one.size() == 1);
  const std::size_t cut = active_beside(one.front().neutralised).count();
  CHECK(one.front().purpose == Purpose::search);
  CHECK(one.front().reason == "is a culprit among these " + std::to_string(cut) + " active ones?");
  CHECK((cut >= 4 && cut <= 8));
  const std::vector<Trial> three = story.next(3);
  REQUIRE(three.size() == 3);
  for (std::size_t i = 1; i < 3; ++i)  // cuts of one order
    CHECK((three[i].neutralised.is_proper_subset_of(three[i - 1].neutralised) ||
           three[i - 1].neutralised.is_proper_subset_of(three[i].neutralised)));
  CHECK(story.next(1, {one.front().neutralised}).front().neutralised != one.front().neutralised);
}

TEST_CASE("planning, bisecting: once all others are cleared the fix is tried, and a silent set again when nothing is left") {
  Story story(problem_of(4), EngineKind::ordered);
  story.ends().while_in(Phase::bisecting, exact({{2}}));
  CHECK(story.phases().entry_of(active(4, {0, 1, 3})));  // the fix was tried
  Story silent(problem_of(2), EngineKind::ordered);
  silent.ends().active_were({0}, kBroke).active_were({1}, kBroke);
  const std::vector<Trial> again = silent.next();
  REQUIRE(again.size() == 1);
  CHECK(again.front().reason == "said nothing before and would decide: once more");
  silent.active_were({0}, kBroke, 2).active_were({1}, kBroke, 2);
  CHECK(silent.next().empty());
}

TEST_CASE("planning, naming: one trial for every open cause before a second one for any") {
  Story story(problem_of(12), EngineKind::ordered);
  const Oracle truth = exact({{1, 4}, {7, 9}});
  story.ends().while_in(Phase::bisecting, truth);
  REQUIRE(story.phase() == Phase::naming);
  const std::vector<Trial> two = story.next(2);
  REQUIRE(two.size() == 2);
  const std::vector<SuspectId> found = story.phases().ordered()->found();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(two[i].purpose == Purpose::certificate);
    CHECK_FALSE(two[i].neutralised.test(found[i]));  // the culprit of the first one, then that of the second one
    CHECK(two[i].neutralised.test(found[1 - i]));
  }
  story.while_in(Phase::naming, truth);
  CHECK(story.standing().named_causes() == Causes{{1, 4}, {7, 9}});
  CHECK(story.next().empty());
  CHECK(story.standing().ordered_proved());
}

TEST_CASE("planning: a cheaper fix of the same causes is tried once they are named") {
  Problem problem = problem_of(6);
  for (Suspect& suspect : problem.suspects) suspect.price = 1;
  Story story(problem, EngineKind::ordered);
  const Oracle truth = exact({{0, 3}});
  story.ends().while_in(Phase::bisecting, truth);
  const SuspectId found = story.phases().ordered()->found().front();
  problem.suspects[found].price = 5;
  Story dear(problem, EngineKind::ordered);
  dear.ends();
  for (const LogEntry& entry : story.phases().log().entries())  // the same evidence, other prices
    dear.tell(evidence_of(neutralised_beside(entry.active), entry.verdict));
  dear.while_in(Phase::bisecting, truth).while_in(Phase::naming, truth);
  CHECK(dear.standing().culprit_set() == std::vector<SuspectId>{found == 0 ? 3UL : 0UL});
}

TEST_CASE("planning: during an outage nothing is asked but the subject as it is") {
  Story story(problem_of(8), EngineKind::ordered);
  story.ends();
  Outage outage;
  for (int i = 0; i < 8; ++i) outage.tell(false, false);
  std::vector<Trial> trials = next_trials(story.phases(), outage, 3, {});
  REQUIRE(trials.size() == 3);
  CHECK(trials.front().neutralised.none());  // beside what would have been asked
  CHECK(trials.front().purpose == Purpose::runnable);
  outage.tell(true, false);
  trials = next_trials(story.phases(), outage, 3, {});
  REQUIRE(trials.size() == 1);
  CHECK(trials.front().neutralised.none());
}

TEST_CASE("planning: what the noise hides is repeated only with a budget, the least asked first") {
  for (const bool budgeted : {false, true}) {
    Problem problem = problem_of(3);
    problem.flip_probability = 0.05;
    problem.budgeted = budgeted;
    Story story(problem);
    story.as_is(kUndecided, 12).all_neutralised(kUndecided, 11);
    const std::vector<Trial> again = repeats(story.phases(), 5);
    REQUIRE(again.size() == (budgeted ? 2 : 0));
    if (!budgeted) continue;
    CHECK(again[0].neutralised.all());
    CHECK(again[0].reason == "would decide, but the noise hid it 11 times");
    CHECK(again[1].neutralised.none());
  }
}
