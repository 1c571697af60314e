#include "driver/loop/trial_planning.hpp"

#include <algorithm>
#include <set>

#include "driver/loop/problem.hpp"

namespace bisectd::driver {
namespace {

constexpr int kRunsThatShowDrift = 3;  ///< as many as a reference has: one as it is, and two moved

int crash_retries(const RunInput& input, Role role) {
  const int retries = traits_of(role).crash_retries;
  // Where the subject need only run, a crash is an answer, of which one more run makes sure.
  return input.must_only_run() && role != Role::reference && role != Role::overflow_check ? 1 : retries;
}

void set_length(TrialPlan& plan, const RunInput& input, const RunState& state) {
  plan.steps = steps_of(input.experiment, plan.role);
  if (plan.role == Role::soak) {
    plan.longer = static_cast<double>(*plan.steps) / static_cast<double>(*input.experiment.steps);
    plan.last_steps[input.experiment.metrics.front().name] = *plan.steps;
    return;
  }
  if (state.jury) {
    const judge::Jury& jury = *state.jury;
    plan.shortened = plan.role == Role::signature;
    plan.last_steps = plan.shortened ? jury.signature_steps() : jury.last_steps();
    // The subject as it is may go on behind the end of the reference: what it does there must be seen.
    if (!plan.steps && plan.role != Role::as_is) plan.steps = jury.first().last_step();
  } else if (plan.steps) {
    plan.last_steps[input.experiment.metrics.front().name] = *plan.steps;
  }
}

void set_repeats(TrialPlan& plan, const RunInput& input, const judge::Jury& jury) {
  const bool perturbed = input.experiment.subject.perturb.has_value();
  // That the reference has no noise but rounding does not say that the subject has none: let it repeat once. One reference
  // alone, and logs that exist already, leave it to the subject to show how far runs drift.
  const bool shows_drift = perturbed && jury.first_panel().lacks_moved_runs();
  if (plan.role == Role::as_is) plan.max_attempts = jury.decisive_attempts();
  if (plan.role == Role::as_is && (jury.first().distinct() == 1 || perturbed || jury.repeats_show_nothing())) {
    plan.attempts = shows_drift ? kRunsThatShowDrift : 2;
    plan.max_attempts = std::max(plan.attempts, plan.max_attempts);
  }
  if (plan.role == Role::control || plan.role == Role::watched || plan.role == Role::ladder)
    plan.max_attempts = jury.decisive_attempts();
  if (plan.role == Role::proof) {
    plan.attempts = jury.likely_proof_attempts();
    plan.max_attempts = jury.decisive_attempts();
  }
}

/// A device that computes wrongly would bear its own verdicts out: what is tried once more, as far as it can, another one
/// runs. Earlier attempts of the same trial, which a resumed run takes up, do not count.
std::set<std::string> ran_on(const TrialPlan& control, const History& history) {
  std::set<std::string> devices;
  for (const PastTrial& trial : history.trials) {
    const bool other_control = trial.role == Role::control && trial.reason != control.reason;
    if (!is(trial.role, reports::kEvidence) && !other_control) continue;
    if (trial.neutralised != control.neutralised) continue;
    for (const Attempt& attempt : trial.attempts)
      if (!attempt.device.empty()) devices.insert(attempt.device);
  }
  return devices;
}

}  // namespace

std::optional<std::int64_t> steps_of(const configs::Experiment& experiment, Role role) {
  return role == Role::soak ? experiment.soak->value : experiment.steps;
}

TrialPlan plan_trial(const RunInput& input, const RunState& state, Role role, const strategies::Neutralised& neutralised,
                     std::string reason) {
  const configs::Experiment& experiment = input.experiment;
  TrialPlan plan;
  plan.role = role;
  plan.neutralised = neutralised;
  plan.neutralised.resize(state.catalogue.size());
  plan.reason = std::move(reason);
  plan.side = role == Role::reference ? &input.sides.reference : &input.sides.subject;
  plan.crash_retries = crash_retries(input, role);
  set_length(plan, input, state);
  if (role == Role::reference) {
    plan.attempts = experiment.reference.repeats;
    return plan;
  }
  plan.rungs = state.rungs;
  plan.recipe =
      neutralise::recipe_for(experiment, state.catalogue, neutralised, input.sides.subject.environment, state.rungs);
  plan.watched = input.watch.watched();
  plan.max_attempts = experiment.accept.max_repeats;
  // Only the search may take a short cut: both ends and the certificate are always seen at full length.
  plan.may_end_early = input.must_only_run() || role == Role::search;
  if (role == Role::discovery) set_discovery(plan.recipe, experiment, input.sides.subject);
  if (role == Role::overflow_check)
    for (const auto& [variable, value] : experiment.overflow_check->environment)
      plan.recipe.templates[variable] = family_variable(input.sides.subject, variable, value);
  if (state.jury) set_repeats(plan, input, *state.jury);
  if (role == Role::control) plan.ran_on = ran_on(plan, state.history);
  return plan;
}

}  // namespace bisectd::driver
