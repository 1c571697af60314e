#include "reports/lookup.hpp"

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;
using bisectd::strategies::Verdict;

TEST_CASE("a proved claim is shown by a trial with its verdict") {
  Record record = sample::culprits();
  Trial repeat = record.trials[4];
  repeat.verdict = Verdict::unresolved;
  record.trials.push_back(repeat);
  CHECK(shown_by(record, record.answer.certificate[1]) == &record.trials[4]);
}

TEST_CASE("an open claim is shown by the last trial, whatever it said") {
  Record record = sample::culprits();
  Trial repeat = record.trials[4];
  repeat.verdict = Verdict::pass;
  record.trials.push_back(repeat);
  record.answer.certificate[1].proved = false;
  CHECK(shown_by(record, record.answer.certificate[1]) == &record.trials.back());
}

TEST_CASE("what a person would run again is not perturbed, and not what was lost before") {
  Trial trial;
  CHECK(attempt_to_run_again(trial) == nullptr);
  const auto add = [&](const char* folder, int perturbed) {
    trial.attempts.emplace_back().folder = folder;
    trial.attempts.back().perturbed = perturbed;
  };
  add("perturbed", 2);
  CHECK(attempt_to_run_again(trial)->folder == "perturbed");  // all there is
  add("lost", 0);
  add("whole", 0);
  add("perturbed", 1);
  CHECK(attempt_to_run_again(trial)->folder == "whole");
}

TEST_CASE("reference and discovery show nothing about the subject") {
  Record record = sample::culprits();
  record.trials[1].role = Role::discovery;  // was as-is
  bisectd::strategies::Claim claim;
  claim.neutralised.resize(6);
  CHECK(shown_by(record, claim) == nullptr);
}

TEST_CASE("a trial of which only the first steps were measured shows nothing, whatever its verdict says") {
  Record record = sample::culprits();
  Trial measured = *shown_by(record, record.answer.certificate[1]);
  measured.number = 99;
  measured.role = Role::signature;
  measured.reason = "measured";  // as an older bisectd wrote it, beside "pass"
  record.trials.push_back(measured);
  CHECK(shown_by(record, record.answer.certificate[1])->number != 99);
  CHECK_FALSE(judges_subject(record.trials.back()));
}
