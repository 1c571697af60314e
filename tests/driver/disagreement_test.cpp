#include "driver/loop/doubts.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

using strategies::Neutralised;
using strategies::Verdict;

constexpr double kAllowed = 0.005, kNoise = 0.01;

PastTrial& add_sized(History& history, strategies::SuspectId off, double difference, double error,
                     Ending ending = Ending::finished) {
  PastTrial trial{
      {.number = history.trials.size() + 1, .role = Role::search, .neutralised = Neutralised(strategies::SuspectSet(4))}};
  trial.neutralised.set(off);
  trial.attempts.emplace_back().ending = ending;
  judge::Judgement& judgement = trial.judgement.emplace();
  judgement.reason = "level";
  judgement.verdict = std::abs(difference) > kAllowed ? Verdict::fail : Verdict::pass;
  judgement.delta = difference;
  judgement.standard_error = error;
  return history.trials.emplace_back(std::move(trial));
}

bool disagrees(const History& history) { return !disagreements(history, kAllowed, kNoise).empty(); }

TEST_CASE("trials of one set that noise does not explain are named, and those of others are not compared") {
  History history;
  add_sized(history, 0, 0.10, 0.001);
  add_sized(history, 1, 0.0, 0.001);
  CHECK_FALSE(disagrees(history));
  add_sized(history, 0, 0.001, 0.001);
  const auto found = disagreements(history, kAllowed, kNoise);
  REQUIRE(found.size() == 1);
  CHECK(found.front().before == 1);
  CHECK(found.front().after == 3);
}

TEST_CASE("what noise or the target explains is no disagreement") {
  History noisy;
  add_sized(noisy, 0, 0.05, 0.006);
  add_sized(noisy, 0, 0.0, 0.001);
  CHECK_FALSE(disagrees(noisy));
  History small;
  add_sized(small, 0, 0.007, 0.0001);
  add_sized(small, 0, 0.0025, 0.0001);
  CHECK_FALSE(disagrees(small));
}

TEST_CASE("two fails of different length are not compared by how far they were off") {
  History history;
  add_sized(history, 0, 0.05, 0.001);
  add_sized(history, 0, 0.20, 0.001, Ending::ended_early);
  CHECK_FALSE(disagrees(history));
  add_sized(history, 0, 0.20, 0.001);
  CHECK(disagrees(history));
}

TEST_CASE("trials that another metric decided, or of a part of the run, are not compared; what noise hides is") {
  History history;
  add_sized(history, 0, 0.05, 0.001);
  add_sized(history, 0, 0.0, 0.001).judgement->decided_by = {"acc", -0.1};
  add_sized(history, 0, 0.0, 0.001).judgement->verdict = Verdict::inconclusive;
  add_sized(history, 0, 0.0, 0.001).role = Role::soak;
  CHECK_FALSE(disagrees(history));
  judge::Judgement& near_the_target = *add_sized(history, 0, 0.0045, 0.001).judgement;
  near_the_target.verdict = Verdict::inconclusive;
  near_the_target.reason = "noise";
  CHECK(disagrees(history));
}

TEST_CASE("where the judge says no error, the noise of the references counts, or that of repeats where it is less") {
  History history;
  add_sized(history, 0, 0.05, 0).judgement->standard_error.reset();
  add_sized(history, 0, 0.08, 0).judgement->standard_error.reset();
  CHECK(disagreements(history, kAllowed, 0.002).size() == 1);
  CHECK_FALSE(disagrees(history));
  for (int i = 0; i < 4; ++i) {
    judge::Judgement& judgement = *add_sized(history, 1, 0.05, 0.001).judgement;
    judgement.metric = "loss";
    judgement.spreads["loss"] = {.last = i < 2 ? 1e-7 : 1e-2, .dof = 1};  // two had a run on a sick device
  }
  CHECK(disagrees(history));
}

}  // namespace
}  // namespace bisectd::driver
