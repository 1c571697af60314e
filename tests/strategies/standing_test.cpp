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
