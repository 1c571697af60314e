// The state of a search in words that a person reads in the report.
#include "strategies/wording.hpp"

#include "tests/catch.hpp"
#include "tests/strategies/play.hpp"

using namespace bisectd::strategies;
using namespace bisectd::strategies::testing;

namespace {

/// A search that was told these: what was active, and how often it came to what.
struct Situation {
  Search search;
  std::size_t size;

  explicit Situation(Problem problem) : search(problem), size(problem.suspects.size()) {}
  Situation& active_were(const std::vector<SuspectId>& set, Verdict verdict, int times = 1) {
    for (int i = 0; i < times; ++i) search.tell(evidence_of(neutralised_beside(active(size, set)), verdict));
    return *this;
  }
  const std::string& said() const { return search.answer().explanation; }
};

}  // namespace

TEST_CASE("wording: a contradiction names both trials, how often each was seen, and what it may mean") {
  Situation four(problem_of(4));
  four.active_were({0, 1, 2, 3}, kFail).active_were({}, kPass).active_were({0, 1}, kPass, 3).active_were({0}, kFail, 3);
  REQUIRE(four.search.answer().state == State::contradictory);
  CHECK(four.said() ==
        "the trial with 3 neutralised fails (3 of 3 times), the one with only 2 of these neutralised passes (3 of 3): "
        "either verdicts are noisier than they claim, or neutralising more makes the run worse. Only the first of them "
        "neutralises #1");
}

TEST_CASE("wording: a contradiction says no trial passed where the undecided ones only lean to it") {
  Problem problem = problem_of(4);
  problem.flip_probability = 0.01;
  Situation four(problem);
  four.active_were({0, 1, 2, 3}, kFail, 3).active_were({}, kPass, 3).active_were({0}, kFail, 6);
  Evidence leaning = evidence_of(neutralised_beside(active(4, {0, 1})), kUndecided);
  leaning.p_bad = 0.02;
  for (int i = 0; i < 9; ++i) four.search.tell(leaning);
  REQUIRE(four.search.answer().state == State::contradictory);
  CHECK(four.said().find("the one with only 2 of these neutralised leans to pass (undecided in each of 9 trials): ") !=
        std::string::npos);
}

TEST_CASE("wording: outside the suspects, where some had to stay active") {
  Problem problem = problem_of(2);
  problem.suspects[0].stays_active = true;
  Situation one(problem);
  one.active_were({0, 1}, kFail).active_were({0}, kFail);
  REQUIRE(one.search.answer().state == State::outside_suspects);
  CHECK(one.said() == "one suspect stayed active; the cause may hide in it");
  problem.suspects[1].stays_active = true;
  Situation both(problem);
  both.active_were({0, 1}, kFail);
  CHECK(both.said() == "2 suspects stayed active; the cause may hide among them");
}

TEST_CASE("wording: why a search is stuck") {
  CHECK(Situation(problem_of(3)).active_were({0, 1, 2}, kBroke, 3).said() ==
        "the subject as it is gave no verdict in 3 trials");
  CHECK(Situation(problem_of(3)).active_were({0, 1, 2}, kFail).active_were({0, 1, 2}, kPass, 2).said().substr(0, 52) ==
        "the subject as it is failed in 1 of 3 trials and pas");
  Situation everywhere(problem_of(2));
  everywhere.active_were({0, 1}, kFail).active_were({}, kPass).active_were({0}, kBroke, 3).active_were({1}, kBroke, 3);
  REQUIRE(everywhere.search.answer().state == State::stuck);
  CHECK(everywhere.said() == "every trial that would tell more says nothing; 0 culprits found so far");
  CHECK(everywhere.search.answer().hindrance == Hindrance::crashes);
}

TEST_CASE("wording: who was not neutralised because that may do harm") {
  CHECK(doubts_of_proof(SuspectSet(9), SuspectSet(9), false, 1).empty());
  CHECK(doubts_of_proof(set_of(9, {3}), SuspectSet(9), false, 1) ==
        "Not neutralised: #3. With everything neutralised the run was off, too, so neutralising it, alone or beside others, "
        "may do harm.");
  CHECK(doubts_of_proof(set_of(9, {3, 4}), SuspectSet(9), false, 1).find("#3, #4. With everything") != std::string::npos);
  CHECK(doubts_of_proof(set_of(9, {0, 1, 2, 3, 4}), SuspectSet(9), false, 1).find("5 of the suspects") != std::string::npos);
}

TEST_CASE("wording: an unfinished search says what is proved, what is likely, and what comes next") {
  Situation eight(problem_of(8));
  const std::string first = eight.search.so_far();
  CHECK(first.find("Nothing is proved yet.") == 0);
  CHECK(first.find("0 of 8 suspects do no harm by themselves") != std::string::npos);
  CHECK(first.find("8 have not been cleared by any run.") != std::string::npos);
  CHECK(first.find("The next trial would neutralise 0 of 8 (the subject as it is must fail).") != std::string::npos);
  eight.active_were({0, 1, 2, 3, 4, 5, 6, 7}, kFail).active_were({}, kPass).active_were({3}, kFail);
  eight.active_were({0, 1, 2, 4, 5, 6, 7}, kPass);
  REQUIRE(eight.search.answer().state == State::proved);
  const std::string last = eight.search.so_far();
  CHECK(last.find("Proved: with #3 neutralised it passes, and it is needed. Proved to be guilty: #3 by itself.") == 0);
  CHECK(last.find("The next trial") == std::string::npos);
}

TEST_CASE("wording: a pair is proved only together, and a fix whose need is not shown yet is no more than a fix") {
  Situation six(problem_of(6));
  six.active_were({0, 1, 2, 3, 4, 5}, kFail).active_were({}, kPass).active_were({1, 4}, kFail).active_were({1}, kPass);
  six.active_were({4}, kPass).active_were({0, 2, 3, 4, 5}, kPass).active_were({0, 1, 2, 3, 5}, kPass);
  REQUIRE(six.search.answer().state == State::proved);
  CHECK(six.search.so_far().find("#1 and #4 only together") != std::string::npos);
}

TEST_CASE("wording: who is guilty by itself is said beside what stayed active") {
  Problem problem = problem_of(4);
  problem.suspects[2].stays_active = true;
  Situation four(problem);
  four.active_were({0, 1, 2, 3}, kFail).active_were({2}, kPass).active_were({1, 2}, kFail).active_were({0, 2, 3}, kPass);
  REQUIRE(four.search.answer().state == State::proved);
  CHECK(four.search.so_far().find("Proved to be guilty: #1 by itself, beside #2, which stayed active.") !=
        std::string::npos);
}

TEST_CASE("wording: nobody is said to be guilty whose cause fails alone but may hold an innocent") {
  const Phases phases(problem_of(4), EngineKind::automatic);
  Answer answer{.culprit_set = {1}, .causes = {{1, 3}}, .guilt = std::vector<double>(4, 0.0)};
  answer.certificate = {{.kind = Claim::Kind::cause_fails, .subject = {1, 3}, .proved = true},
                        {.kind = Claim::Kind::cause_minimal, .subject = {1, 3}, .proved = true},
                        {.kind = Claim::Kind::cause_minimal, .subject = {3, 1}, .proved = false}};
  CHECK(progress(phases, answer, nullptr).find("Nothing is proved yet.") == 0);
  answer.certificate.back().proved = true;
  CHECK(progress(phases, answer, nullptr).find("Proved to be guilty: #1 and #3 only together.") == 0);
  CHECK(progress(phases, answer, nullptr, true).find("Nothing is proved yet.") == 0);
  answer.culprit_set = {1};
  answer.certificate.push_back({.kind = Claim::Kind::fix_passes, .subject = {1}, .neutralised = {}, .proved = true});
  CHECK(progress(phases, answer, nullptr).find("Proved: with #1 neutralised it passes, and it is needed.") == 0);
  CHECK(
      progress(phases, answer, nullptr, true).find("With #1 neutralised it passes, but that may only make up for a fault") ==
      0);
}
