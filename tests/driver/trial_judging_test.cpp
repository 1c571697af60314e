// Which runs of a trial its verdict is taken from, and over which part its size is.
#include "driver/loop/trial_judging.hpp"

#include "driver/loop/inquiry.hpp"
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

namespace bisectd::driver {
namespace {

using tests::curve;
using tests::kSteps;
using tests::noisy;
using tests::run;

/// A judge of trials beside these references.
struct Judging {
  explicit Judging(const std::vector<judge::Curve>& references) {
    state.jury = judge::Jury::seat(experiment.accept, std::vector<judge::MetricRule>{{.name = "loss"}}, references).value();
  }
  TrialJudge judge() { return TrialJudge(input, state); }

  configs::Experiment experiment{.file = "/e.yaml", .name = "x"};
  Sides sides;
  const RunInput input{experiment, sides, WatchList(experiment)};
  RunState state;
};

/// The difference of the subject as it is that eight of its runs show, three of them (seeds 5, 6, 7) rounding coarsely,
/// against four plain logs.
double difference_of(std::vector<judge::Curve> runs) {
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  std::vector<judge::Curve> logs = tests::references();
  logs.resize(4);
  for (judge::Curve& log : logs) log.perturbed = 0;

  TrialPlan plan;
  plan.role = Role::as_is;
  return Judging(logs).judge().whole(plan, runs).delta.value();
}

TEST_CASE("the subject as it is: coarse runs only show how far rounding drifts, and are not judged with the others") {
  std::vector<judge::Curve> runs;
  for (const double side : {0.2, -1.3, 0.9, 0.4, -0.7}) runs.push_back(run(1e-7, side));
  for (const double side : {1.0, -0.8, 0.5}) runs.push_back(run(4e-4, side, tests::constant(8)));
  CHECK(std::abs(difference_of(runs)) < 0.01);  // 0.1 with them
}

TEST_CASE("the subject as it is: all runs are judged where it varies by itself, whatever they round at") {
  std::vector<judge::Curve> runs;
  for (std::uint64_t seed = 0; seed < 8; ++seed) runs.push_back(noisy(kSteps, seed, 0.006, seed < 5 ? 0.0 : 0.02));
  CHECK(difference_of(runs) == Approx(3 * 0.02 / 8).margin(0.003));
}

/// A fault of 2 % of the whole run's end that grows evenly.
judge::Judgement growing_fault_beside(std::optional<std::int64_t> as_is_until, double rounding) {
  Judging judging(tests::references());
  PastTrial& as_is = judging.state.history.trials.emplace_back();
  as_is.role = Role::as_is;
  as_is.judgement = judge::Judgement{};
  as_is.judgement->comparable_until = as_is_until;
  TrialPlan plan;
  plan.role = Role::search;
  const auto grows = [](std::int64_t step) { return 1 + 0.02 * static_cast<double>(step) / kSteps; };
  return judging.judge().whole(plan, std::vector{run(rounding, 0.1, grows)});
}

TEST_CASE("a run that was ended early, and is not certain to fail any more, is undecided: it did not break") {
  const judge::Judgement judgement = Judging(tests::references()).judge().ended_early(run(1e-7, 0.3));
  CHECK(judgement.verdict == strategies::Verdict::inconclusive);
  CHECK(judgement.reason == "ended-early");
}

TEST_CASE("how far a trial is off is told over the part by which the subject as it is was judged") {
  const judge::Judgement own = growing_fault_beside(40, 1e-7);
  REQUIRE(own.comparable_until);
  REQUIRE(*own.comparable_until < 40);
  REQUIRE(own.beside_as_is);
  CHECK(*own.beside_as_is->delta == Approx(0.02 * 34.5 / kSteps).epsilon(0.05));  // the last 30 % of 40 steps
  CHECK(*own.delta < 0.8 * *own.beside_as_is->delta);
  CHECK(own.beside_as_is->standard_error);
  const judge::Judgement coarse = growing_fault_beside(40, 1e-5);
  REQUIRE(coarse.beside_as_is);
  CHECK(*coarse.beside_as_is->delta == Approx(*own.beside_as_is->delta).epsilon(0.05));

  CHECK_FALSE(growing_fault_beside(own.comparable_until, 1e-7).beside_as_is);
}

TEST_CASE("the search is told the size over that part; a run that cannot be compared there has a verdict and no size") {
  judge::Judgement judgement;
  judgement.verdict = strategies::Verdict::fail;
  judgement.reason = "level";
  judgement.delta = 0.03;
  judgement.standard_error = 0.001;
  const auto told = [&] {
    return judged_run(judgement, strategies::Neutralised(strategies::SuspectSet(2)), Role::search, false, 0.005).evidence;
  };
  CHECK(told().delta == 0.03);
  judgement.beside_as_is = {0.01, 0.002};
  CHECK(told().delta == 0.01);
  CHECK(told().standard_error == 0.002);
  judgement.beside_as_is = {0.004, 0.002};  // within the target: something else than this level made it fail
  CHECK_FALSE(told().delta);
  judgement.beside_as_is.emplace();
  CHECK_FALSE(told().delta);
  CHECK_FALSE(told().standard_error);
  CHECK(told().verdict == strategies::Verdict::fail);
}

}  // namespace
}  // namespace bisectd::driver
