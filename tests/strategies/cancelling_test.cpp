// Faults that cancel each other beside a fix that passes, and the traces of them.
#include "strategies/cancelling.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

constexpr std::size_t kFour = 4;

Evidence off_by(double difference, const std::vector<SuspectId>& members, Verdict verdict) {
  Evidence evidence = evidence_of(neutralised(kFour, members), verdict);
  evidence.delta = difference;
  evidence.standard_error = 0.0002;
  return evidence;
}

Evidence undecided(double p_bad, double difference, const std::vector<SuspectId>& members) {
  Evidence evidence = off_by(difference, members, kUndecided);
  evidence.p_bad = p_bad;
  return evidence;
}

/// A search that was told that suspect 0 alone is at fault, by `fault`, and this.
Search told(const Evidence& beside, double fault = 0.02, double flip = 0) {
  Problem problem = problem_of(kFour);
  problem.flip_probability = flip;
  Search search(problem);
  for (int times = flip > 0 ? 3 : 1; times > 0; --times) {
    search.tell(off_by(fault, {}, kFail));
    search.tell(off_by(0, {0, 1, 2, 3}, kPass));
    search.tell(off_by(fault, {1, 2, 3}, kFail));
    search.tell(off_by(0.0001, {0}, kPass));
  }
  search.tell(beside);
  return search;
}

}  // namespace

TEST_CASE("nobody is accused while a set that neutralises more than the fix may fail") {
  const auto answer = [](const Evidence& beside, double flip = 0) { return told(beside, 0.02, flip).answer(); };
  const Answer hidden = answer(undecided(0.65, -0.0083, {0, 1}));
  CHECK(hidden.state == State::stuck);
  CHECK(hidden.hindrance == Hindrance::noise);
  REQUIRE(hidden.hidden);
  CHECK(hidden.hidden->neutralised == neutralised(kFour, {0, 1}));
  CHECK(hidden.explanation.find("may cancel each other") != std::string::npos);

  CHECK(answer(undecided(0.35, 0.003, {0, 1})).state == State::proved);          // leans to pass
  CHECK(answer(undecided(0.65, 0.0083, {1, 2})).state == State::proved);         // the cause is active
  CHECK(answer(undecided(0.65, -0.0083, {0, 1}), 0.05).state == State::proved);  // with noise a lean means nothing
}

TEST_CASE("what was active beside a cause and makes up for a part of it is asked for by itself") {
  for (const double sign : {1.0, -1.0}) {
    Search search = told(off_by(sign * 0.013, {1, 2}, kFail), sign * 0.02);
    REQUIRE(search.answer().state == State::searching);
    const std::vector<Trial> asked = search.ask(1, {});
    REQUIRE(asked.size() == 1);
    CHECK(asked.front().neutralised == neutralised(kFour, {0, 1, 2}));

    Search innocent = told(off_by(sign * 0.013, {1, 2}, kFail), sign * 0.02);
    innocent.tell(off_by(0, {0, 1, 2}, kPass));
    CHECK(innocent.answer().state == State::proved);
    search.tell(off_by(sign * -0.007, {0, 1, 2}, kFail));
    CHECK(search.answer().state != State::proved);

    CHECK(told(off_by(sign * 0.019, {1, 2}, kFail), sign * 0.02).answer().state == State::proved);  // by rounding
    // Neutralising may do harm of its own, which adds.
    CHECK(told(off_by(sign * 0.03, {1, 2}, kFail), sign * 0.02).answer().state == State::proved);
  }
}
