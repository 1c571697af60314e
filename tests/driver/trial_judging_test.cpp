// Which runs of a trial its verdict is taken from, and over which part its size is.
#include "driver/loop/trial_judging.hpp"

#include "driver/loop/inquiry.hpp"
#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

namespace bisectd::driver {
namespace {

using tests::constant;
using tests::from;
using tests::noisy;
using tests::run;
using tests::Training;

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

/// What is said of the subject as it is, of which so many repeats were moved, or may have been, beside one plain log.
judge::Judgement of_subject(std::vector<judge::Curve> runs, const Training& training) {
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  TrialPlan plan;
  plan.role = Role::as_is;
  return Judging(tests::one_reference(training)).judge().whole(plan, runs);
}

TEST_CASE("the subject as it is: moved runs show what rounding grows to, and are not judged with the one that was not") {
  const auto moved = [](std::uint64_t seed) { return run({}, {.rounding = 1e-3, .seed = seed, .fault = constant(8)}); };
  const judge::Judgement healthy = of_subject({run({}), moved(2), moved(3)}, {});
  CHECK(healthy.verdict == strategies::Verdict::pass);
  CHECK(std::abs(*healthy.delta) < 0.005);  // 0.05 with them
}

TEST_CASE("the subject as it is: where the plain run does not decide, moved ones do as further samples of it") {
  const Training training{.log = {.every = 10}};
  const auto off_by = [&](double percent, double rounding, std::uint64_t seed) {
    return run(training, {.rounding = rounding, .seed = seed, .fault = from(40, percent)});
  };
  CHECK(of_subject({off_by(3, 1e-6, 1)}, training).verdict == strategies::Verdict::inconclusive);
  const judge::Judgement all = of_subject({off_by(3, 1e-6, 1), off_by(3, 1e-3, 2), off_by(3, 1e-3, 3)}, training);
  CHECK(all.verdict == strategies::Verdict::fail);
  CHECK(*all.delta == Approx(0.03).epsilon(0.2));
}

TEST_CASE("the subject as it is: all runs are judged where it varies by itself, whatever moved them") {
  std::vector<judge::Curve> runs;
  for (std::uint64_t seed = 0; seed < 8; ++seed) runs.push_back(noisy(240, seed, 0.006, seed < 5 ? 0.0 : 0.02));
  const Training smooth{.batch_noise = 0, .most_apart = 0};
  CHECK(of_subject(runs, smooth).delta.value() == Approx(3 * 0.02 / 8).margin(0.003));
}

TEST_CASE("a run that was ended early, and is not certain to fail any more, is undecided: it did not break") {
  const judge::Judgement judgement = Judging(tests::references()).judge().ended_early(run({}));
  CHECK(judgement.verdict == strategies::Verdict::inconclusive);
  CHECK(judgement.reason == "ended-early");
}

TEST_CASE("how far a trial is off is told over the part by which the subject as it is was judged") {
  const auto growing_fault_beside = [](std::optional<judge::Steps> as_is_window) {
    Judging judging(tests::references());
    PastTrial& as_is = judging.state.history.trials.emplace_back();
    as_is.role = Role::as_is;
    as_is.judgement = judge::Judgement{};
    as_is.judgement->window = as_is_window;
    TrialPlan plan;
    plan.role = Role::search;
    const auto grows = [](std::int64_t step) { return 1 + 0.04 * static_cast<double>(step) / 240; };
    return judging.judge().whole(plan, std::vector{run({}, {.fault = grows})});
  };
  const judge::Judgement own = growing_fault_beside({{41, 100}});
  REQUIRE(own.beside_as_is);
  CHECK(*own.beside_as_is->delta == Approx(0.04 * 70.5 / 240).epsilon(0.1));
  CHECK(*own.delta > 1.5 * *own.beside_as_is->delta);
  CHECK(own.beside_as_is->standard_error);
  CHECK_FALSE(growing_fault_beside(own.window).beside_as_is);
  CHECK_FALSE(growing_fault_beside({}).beside_as_is);
}

TEST_CASE("the search is told the size over that part; a run that cannot be compared there has a verdict and no size") {
  PastTrial trial;
  judge::Judgement& judgement = trial.judgement.emplace();
  judgement.verdict = strategies::Verdict::fail;
  judgement.reason = "level";
  judgement.delta = 0.03;
  judgement.standard_error = 0.001;
  const auto told = [&] { return judged_run(trial, 0.005).evidence; };
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
