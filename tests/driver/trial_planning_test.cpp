// What a trial of each role launches, before and after the reference is measured, and where a subject need only run.
#include "driver/loop/trial_planning.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

configs::Experiment experiment_of(bool must_only_run) {
  configs::Experiment experiment{.file = "/e.yaml", .name = "x"};
  configs::Metric metric;
  metric.name = "loss";
  experiment.metrics = {metric};
  experiment.accept.max_repeats = 5;
  experiment.reference.repeats = 3;
  if (must_only_run) {
    experiment.accept.goal = configs::Goal::runs;
    experiment.steps = 40;
  }
  return experiment;
}

judge::Curve falling(std::int64_t steps, double first) {
  judge::Curve curve;
  for (std::int64_t step = 1; step <= steps; ++step)
    curve.series["loss"].push_back({.step = step, .value = first / static_cast<double>(step)});
  return curve;
}

/// A run of 80 steps whose references are as far apart as `spread` says.
struct Planner {
  configs::Experiment experiment;
  Sides sides{};
  RunInput input;
  RunState state;

  explicit Planner(bool must_only_run, std::optional<double> spread = std::nullopt, int perturbed = 0)
      : experiment(experiment_of(must_only_run)), input{experiment, sides, WatchList(experiment)} {
    sides.reference.settings = &experiment.reference;
    sides.subject.settings = &experiment.subject;
    if (!spread) return;
    std::vector<judge::Curve> references{falling(80, 5)};
    for (int seed = 1; seed <= perturbed; ++seed) {
      references.push_back(falling(80, 5 * (1 + *spread * seed)));
      references.back().perturbed = seed;
    }
    if (perturbed == 0) references.push_back(falling(80, 5 * (1 + *spread)));
    const std::vector<judge::MetricRule> metrics{{.name = "loss"}};
    state.jury = judge::Jury::seat(experiment.accept, metrics, references).value();
  }

  TrialPlan plan(Role role) const { return plan_trial(input, state, role, strategies::Neutralised{}, "why"); }
};

TEST_CASE("a trial's plan: retries where a crash would be taken for an answer, none where the search goes around it") {
  const Planner run(false, 1e-4);
  const auto [role, retries] = GENERATE(table<Role, int>({{Role::as_is, 2},
                                                          {Role::proof, 2},
                                                          {Role::everything, 1},
                                                          {Role::certificate, 1},
                                                          {Role::runnable, 1},
                                                          {Role::ladder, 1},
                                                          {Role::search, 0},
                                                          {Role::measurement, 0},
                                                          {Role::signature, 0}}));
  const TrialPlan plan = run.plan(role);
  CHECK(plan.crash_retries == retries);
  CHECK(plan.side == &run.sides.subject);
}

TEST_CASE("a trial's plan: only the search may end early, all others are seen at full length") {
  const Planner run(false, 1e-4);
  for (const Role role :
       {Role::as_is, Role::everything, Role::measurement, Role::certificate, Role::proof, Role::other_fix, Role::by_hand}) {
    CHECK_FALSE(run.plan(role).may_end_early);
    CHECK_FALSE(run.plan(role).shortened);
    CHECK(run.plan(role).last_steps == std::map<std::string, std::int64_t>{{"loss", 80}});
  }
  CHECK(run.plan(Role::search).may_end_early);
}

TEST_CASE("a trial's plan: one for a signature ends after the steps that it is read from") {
  Planner run(false, 1e-6, 5);
  run.state.jury->set_signature_steps(12);
  const TrialPlan plan = run.plan(Role::signature);
  CHECK(plan.shortened);
  CHECK(plan.last_steps == std::map<std::string, std::int64_t>{{"loss", 12}});
  CHECK(plan.steps == 80);  // what it is told to train: its learning rate must not fall faster
}

TEST_CASE("a trial's plan: references without noise let the subject repeat once") {
  CHECK(Planner(false, 0.0).plan(Role::as_is).attempts > 1);
  CHECK(Planner(false, 1e-2).plan(Role::as_is).attempts == 1);
  CHECK(Planner(false, 1e-2).plan(Role::as_is).max_attempts == 20);  // four times what the other trials may take
}

TEST_CASE("a trial's plan: where the subject need only run, every run ends at its step and may end early") {
  const Planner run(true);
  for (const Role role : {Role::as_is, Role::everything, Role::search, Role::certificate, Role::discovery}) {
    const TrialPlan plan = run.plan(role);
    CHECK(plan.steps == 40);
    CHECK(plan.last_steps == std::map<std::string, std::int64_t>{{"loss", 40}});
    CHECK(plan.may_end_early);
    CHECK(plan.crash_retries == 1);  // a crash is an answer: one more run makes sure of it
  }
}

}  // namespace
}  // namespace bisectd::driver
