// What the evidence amounts to: the answer so far, and what is still to be proved of it.
#include "strategies/standing.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/story.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

Evidence difference_of(const Neutralised& set, Verdict verdict, double delta) {
  Evidence evidence = evidence_of(set, verdict);
  evidence.delta = delta;
  return evidence;
}

}  // namespace

TEST_CASE("standing: the culprit set grows with what is found, and the claims that are left shrink") {
  Story story(problem_of(8), EngineKind::ordered);
  const Oracle truth = exact({{1}, {4, 6}});
  CHECK(story.standing().culprit_set().empty());
  story.ends().while_in(Phase::bisecting, truth);
  const std::vector<SuspectId> fix = story.standing().culprit_set();
  CHECK(minimal_fix(truth, 8, fix));
  CHECK_FALSE(story.standing().ordered_done());
  CHECK_FALSE(story.standing().open_claims().empty());
  story.while_in(Phase::naming, truth);
  CHECK(story.standing().named_causes() == Causes{{1}, {4, 6}});
  CHECK(story.standing().ordered_done());
  CHECK(story.standing().open_claims().empty());
  CHECK(story.standing().ordered_proved());
  CHECK(story.standing().all_but(fix) == active_beside(neutralised(8, fix)));
}

TEST_CASE("standing: of the open claims that a member is needed comes last, as its cause shows it") {
  Story story(problem_of(6), EngineKind::ordered);
  story.ends();
  const std::vector<Claim> claims = story.standing().open_claims();  // of the empty answer: its fix passes
  REQUIRE(claims.size() == 1);
  CHECK(claims.front().kind == Claim::Kind::fix_passes);
  story.while_in(Phase::bisecting, exact({{0, 1}}));
  bool behind = false;
  for (const Claim& claim : story.standing().open_claims()) {
    CHECK((claim.kind == Claim::Kind::member_needed || !behind));
    behind = behind || claim.kind == Claim::Kind::member_needed;
  }
}

TEST_CASE("standing: another trial may prove a claim while its set is open, or lacks votes only") {
  Problem problem = problem_of(3);
  problem.flip_probability = 0.05;
  Story story(problem);
  story.as_is(kFail, 3).all_neutralised(kPass, 3).active_were({0}, kFail, 2);
  const auto claim_that_fails = [](const std::vector<SuspectId>& set) {
    return Claim{.kind = Claim::Kind::cause_fails,
                 .subject = set,
                 .neutralised = neutralised_beside(active(3, set)),
                 .expected = kFail};
  };
  CHECK(story.standing().may_prove(claim_that_fails({1})));  // never asked
  CHECK(story.standing().may_prove(claim_that_fails({0})));  // decided as it should be, and may need more votes
  story.active_were({2}, kPass, 3);
  CHECK_FALSE(story.standing().may_prove(claim_that_fails({2})));  // refuted
  story.active_were({0, 2}, Verdict::unresolved, 3);
  CHECK_FALSE(story.standing().may_prove(claim_that_fails({0, 2})));  // it breaks
}

TEST_CASE("standing: no part is open where neutralising everything changed nothing, to the last digit") {
  for (const double there : {0.03, 0.031}) {
    Story story(problem_of(6));
    story.tell(difference_of(neutralised(6, {}), kFail, 0.03));
    story.tell(difference_of(neutralised_beside(active(6, {})), kFail, there));
    CHECK(story.standing().open_parts().empty() == (there == 0.03));
    CHECK((story.standing().unmended() == Unmended::outside) == (there == 0.03));
  }
}

TEST_CASE("standing: with noise it is outside only if what fails at both ends is the same metric") {
  for (const bool another_metric : {false, true}) {
    Problem problem = problem_of(3);
    problem.flip_probability = 0.05;
    Story story(problem);
    for (int i = 0; i < 4; ++i) {
      story.tell(difference_of(neutralised(3, {}), kFail, 0.05));
      const Neutralised all = neutralised_beside(active(3, {}));
      story.tell(another_metric ? evidence_of(all, kFail) : difference_of(all, kFail, 0.05));
    }
    for (int trials = 0; trials < 60 && !story.standing().open_parts().empty(); ++trials)
      story.tell(evidence_of(neutralised_beside(story.standing().open_parts().front()), kFail));
    CHECK(story.standing().unmended() == (another_metric ? Unmended::otherwise : Unmended::outside));
  }
}

TEST_CASE("standing: a part that failed is not asked again, one that noise hides only while it leans to a pass") {
  Problem problem = problem_of(8);
  problem.flip_probability = 0.05;
  for (const double p_bad : {0.3, 0.7}) {
    Story story(problem);
    story.as_is(kFail, 3).all_neutralised(kFail, 3);
    const std::vector<Active> open = story.standing().open_parts();
    REQUIRE(open.size() == 12);
    Evidence leaning = evidence_of(neutralised_beside(open.front()), p_bad < 0.5 ? kPass : kFail);
    leaning.p_bad = p_bad;
    story.tell(leaning);
    CHECK(story.standing().open_parts().size() == (p_bad < 0.5 ? 12 : 11));
  }
}

TEST_CASE("standing: what failed and then passes comes and goes; so does what passes in some trial and never neutralised") {
  CHECK(Story(problem_of(4)).as_is(kPass).standing().unmended() == Unmended::no);
  CHECK(Story(problem_of(4)).as_is(kFail).as_is(kPass).standing().unmended() == Unmended::no);
  CHECK(Story(problem_of(4)).as_is(kFail).as_is(kPass, 2).standing().unmended() == Unmended::comes_and_goes);
  Story story(problem_of(4));
  story.as_is(kFail).all_neutralised(kFail).active_were({1, 2}, kPass);
  CHECK(story.standing().unmended() == Unmended::comes_and_goes);
}

TEST_CASE("standing: what the noise hides and would decide: the ends first, then what the answer rests on") {
  Problem problem = problem_of(4);
  problem.flip_probability = 0.05;
  Story story(problem, EngineKind::ordered);
  CHECK(Story(problem_of(4)).as_is(kUndecided).standing().deciding() == std::vector{as_it_is(4)});
  story.as_is(kUndecided);
  CHECK(story.standing().deciding() == std::vector{as_it_is(4)});
  story.as_is(kFail, 3).all_neutralised(kPass, 3);
  CHECK(story.standing().deciding().empty());
}
