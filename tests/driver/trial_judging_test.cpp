// Which runs of a trial its verdict is taken from.
#include "driver/loop/trial_judging.hpp"

#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

namespace bisectd::driver {
namespace {

using tests::curve;
using tests::kSteps;
using tests::noisy;
using tests::run;

/// The difference of the subject as it is that eight of its runs show, three of them (seeds 5, 6, 7) rounding coarsely,
/// against four plain logs.
double difference_of(std::vector<judge::Curve> runs) {
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  std::vector<judge::Curve> logs = tests::references();
  logs.resize(4);
  for (judge::Curve& log : logs) log.perturbed = 0;

  configs::Experiment experiment{.file = "/e.yaml", .name = "x"};
  Sides sides;
  const RunInput input{experiment, sides, WatchList(experiment)};
  RunState state;
  state.jury = judge::Jury::seat(experiment.accept, std::vector<judge::MetricRule>{{.name = "loss"}}, logs).value();
  TrialPlan plan;
  plan.role = Role::as_is;
  return TrialJudge(input, state).whole(plan, runs).delta.value();
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

}  // namespace
}  // namespace bisectd::driver
