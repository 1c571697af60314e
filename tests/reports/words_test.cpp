#include "reports/words.hpp"

#include <limits>

#include "reports/escape.hpp"
#include "reports/lookup.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

using namespace bisectd::reports;

TEST_CASE("differences in percent") {
  CHECK(percent_text(0.031) == "+3.10 %");
  CHECK(percent_text(-0.005) == "-0.50 %");
  CHECK(percent_text(0.0) == "0 %");
  CHECK(percent_text(0.0000004) == "+4e-05 %");
  CHECK(percent_text(1e9) == "+1e+11 %");
  CHECK(percent_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(percent_text(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(percent_text(std::nullopt) == "not measured");
  CHECK(unsigned_percent_text(0.005) == "0.5 %");
}

TEST_CASE("a trial that another metric decided is told by that one, with a figure or without") {
  Trial trial;
  trial.delta = -4e-6;
  trial.reason = "acc:level";
  trial.decided_by = {"acc", -0.02};
  CHECK(measured_text(&trial) == "acc -2.00 %");
  trial.reason = "acc:nan";
  trial.decided_by->delta.reset();
  CHECK(measured_text(&trial) == "acc nan");
}

TEST_CASE("a cause that no trial shows is not told as one that is") {
  Record record = sample::culprits();
  const std::vector<std::size_t> cause = record.answer.causes.front();
  CHECK(cause_text(record, cause, plain).find("(not shown)") == std::string::npos);
  for (auto& claim : record.answer.certificate)
    if (claim.kind == bisectd::strategies::Claim::Kind::cause_fails) claim.proved = false;
  CHECK(cause_text(record, cause, plain).find("(not shown)") != std::string::npos);
}

TEST_CASE("a cause says beside what it was alone") {
  Record record = sample::culprits();
  const std::vector<std::size_t> cause{0};
  record.answer.not_neutralisable = record.answer.excluded = {};
  record.ladders.clear();
  CHECK(cause_text(record, cause, plain) == "ops:conv2d alone");
  record.answer.not_neutralisable = {3};
  record.answer.excluded = {1};
  CHECK(cause_text(record, cause, plain) ==
        "ops:conv2d alone (beside ops:pad3d and flags:storage_format, which stayed active)");
  record.answer.not_neutralisable = {1, 2, 3, 4, 5};
  record.answer.excluded = {};
  CHECK(cause_text(record, cause, plain) == "ops:conv2d alone (beside 5 suspects that stayed active)");
  record.answer.not_neutralisable = {3};
  record.suspects.push_back({"scale", "scale"});
  record.ladders = {{.family = "scale", .rungs = {{.value = "16"}, {.value = "256"}}, .window = PassingWindow{0, 1, 1}}};
  CHECK(cause_text(record, cause, plain) ==
        "ops:conv2d alone (beside flags:storage_format, which stayed active; with scale at 256)");
  CHECK(cause_text(record, std::vector<std::size_t>{6}, plain) ==
        "scale:scale alone (beside flags:storage_format, which stayed active)");
}

TEST_CASE("a trial that was ended because it was certain to fail has no difference at its end") {
  Trial trial{{.verdict = bisectd::strategies::Verdict::fail, .delta = 0.031}};
  CHECK(measured_text(&trial) == "+3.10 %");
  trial.delta.reset();
  CHECK(measured_text(&trial) == "ended early");
  trial.verdict = bisectd::strategies::Verdict::unresolved;
  CHECK(measured_text(&trial) == "not measured");
  CHECK(measured_text(nullptr) == "not measured");
}

TEST_CASE("a confidence is never rounded up") {
  CHECK(confidence_text(0.99) == "99 %");
  CHECK(confidence_text(0.57) == "57 %");
  CHECK(confidence_text(0.998999) == "99.89 %");
  CHECK(confidence_text(0.9999999999) == "99.99 %");
  CHECK(confidence_text(1) == "100 %");
  CHECK(confidence_text(0) == "0 %");
}

TEST_CASE("durations") {
  CHECK(duration_text(2.14) == "2.1 s");
  CHECK(duration_text(59.99) == "1 min 00 s");
  CHECK(duration_text(3599.6) == "1 h 00 min");
  CHECK(duration_text(7530) == "2 h 05 min");
  CHECK(duration_text(-1) == "?");
}

TEST_CASE("trials left are a range unless certain") {
  bisectd::strategies::Answer answer;
  answer.trials_left_low = 6.2;
  answer.trials_left_high = 12;
  CHECK(more_trials_text(answer) == "7 to 12 more trials");
  answer.trials_left_low = 12;
  CHECK(more_trials_text(answer) == "12 more trials");
}

TEST_CASE("a set is named in the shortest way") {
  const Record record = sample::culprits();
  const auto text = [&](std::vector<std::size_t> ids) { return set_text(record, ids, 2, plain); };
  CHECK(text({}) == "nothing");
  CHECK(text({1}) == "ops:pad3d");
  CHECK(text({1, 3}) == "ops:pad3d, flags:storage_format");
  CHECK(text({0, 1, 2}) == "3 of 6");
  CHECK(text({0, 1, 2, 3}) == "all but flags:jit_compile, ops:softmax");
  CHECK(text({0, 1, 2, 3, 4, 5}) == "all 6");
  CHECK(text({9}) == "#9");
}

TEST_CASE("without its only member the fix is nothing") {
  Record record = sample::culprits();
  bisectd::strategies::Claim claim = record.answer.certificate[1];
  CHECK(claim_text(record, claim, plain) == "the culprit set but for ops:pad3d neutralised: fails");
  claim.neutralised.reset();
  CHECK(claim_text(record, claim, plain) == "nothing neutralised: fails");
}

TEST_CASE("the explanation names suspects instead of ids") {
  Record record = sample::culprits();
  record.answer.explanation = "#1 with #3: passes; #77, # and #12345678901234567890 are unknown";
  CHECK(explanation_text(record, plain) ==
        "ops:pad3d with flags:storage_format: passes; #77, # and #12345678901234567890 are unknown");
}

TEST_CASE("the verdict in a sentence, for every outcome") {
  Record record = sample::culprits();
  record.outcome = Outcome::aligned;
  record.trials[1].comparable_until = 40;
  CHECK(verdict_sentence(record, plain) ==
        "Nothing to find: loss of the subject as it is agrees with the reference up to step 40 (+3.10 %, target 0.5 %); "
        "behind that, this log cannot tell.");
  record.trials[1].comparable_until.reset();
  record.worse_only = true;  // what is worse and passes is within the target by another measure
  CHECK(verdict_sentence(record, plain).find("agrees with the reference (+3.10 %") != std::string::npos);
  record.outcome = Outcome::outside_suspects;
  record.answer.not_neutralisable = {};
  record.always_on = 1;  // the last one: nothing neutralises it
  record.trials[2].neutralised = {0, 1, 2, 3, 4};
  CHECK(verdict_sentence(record, plain) ==
        "The cause is ops:softmax, or outside the 6 suspects: with all others neutralised loss still differs by +0.02 % "
        "(target 0.5 %).");
  CHECK(outcome_title(record) == "cause not found");
  record.always_on = 0;
  record.answer.not_neutralisable = {2};
  record.answer.excluded = {1};
  record.trials[2].neutralised = {0, 3, 4, 5};
  CHECK(verdict_sentence(record, plain) ==
        "The cause is ops:pad3d or ops:matmul_v2, or outside the 6 suspects: with all others neutralised loss still differs "
        "by +0.02 % (target 0.5 %).");
  CHECK(outcome_title(record) == "cause not found");
  record.outcome = Outcome::inconclusive;
  record.answer.certificate.clear();
  CHECK(verdict_sentence(record, plain) == "No answer: the evidence does not carry one. Nobody is accused.");
  using bisectd::strategies::Claim;
  record.answer.certificate = {{.kind = Claim::Kind::fix_passes, .subject = {0, 1}, .neutralised = {}, .proved = true}};
  CHECK(verdict_sentence(record, plain) ==
        "No complete answer: with ops:conv2d, ops:pad3d neutralised it passes, but the rest of the proof is open.");
  record.answer.hindrance = bisectd::strategies::Hindrance::change;  // a control took the proof back
  CHECK(verdict_sentence(record, plain) == "No answer: the evidence does not carry one. Nobody is accused.");
  record.answer.hindrance = bisectd::strategies::Hindrance::noise;
  CHECK(verdict_sentence(record, plain) ==
        "No complete answer: with ops:conv2d, ops:pad3d neutralised it passes, but the noise hides the rest of the proof.");
  record.answer.certificate = {{.kind = Claim::Kind::fix_passes, .subject = {0}, .neutralised = {}},
                               {.kind = Claim::Kind::cause_fails, .subject = {0}, .neutralised = {}, .proved = true}};
  CHECK(verdict_sentence(record, plain) ==
        "No complete answer: with all neutralised but ops:conv2d it fails (beside ops:pad3d and ops:matmul_v2, which stayed "
        "active; with loss_scale at 1024), but the noise hides the rest of the proof.");
  record.answer.certificate[1].proved = false;
  CHECK(verdict_sentence(record, plain) == "No answer: the evidence does not carry one. Nobody is accused.");
  record.outcome = Outcome::infrastructure;
  CHECK(verdict_sentence(record, plain) == "No answer: the trials could not be run. Nobody is accused.");
  record.outcome = Outcome::unfinished;
  CHECK(verdict_sentence(record, plain) == "Not finished. Nobody is accused yet.");
}

TEST_CASE("a trial of one value of a ladder is not the trial of its set") {
  Record record;
  const std::vector<std::size_t> set{4};
  const Trial certificate{{.verdict = bisectd::strategies::Verdict::pass}, 20, Role::certificate, set};
  const Trial rung{{.verdict = bisectd::strategies::Verdict::fail}, 21, Role::ladder, set};
  record.trials = {certificate, rung};
  REQUIRE(judged_trial(record, set) != nullptr);
  CHECK(judged_trial(record, set)->number == 20);
}
