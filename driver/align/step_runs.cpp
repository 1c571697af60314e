#include "driver/align/step_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/launch/interrupted.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver::align {
namespace {

namespace fs = std::filesystem;

constexpr int kFineSeed = 1, kCoarseSeed = 5;
constexpr const char* kStepFile = "align.jsonl";

AttemptRequest request_of(const configs::Alignment& alignment, const StepRun& run, std::size_t number) {
  AttemptRequest request{.trial = number,
                         .side = run.side,
                         .folder = run.folder,
                         .recipe = {},
                         .steps = {},
                         .last_steps = {},
                         .perturbed = run.perturbed,
                         .watched = {}};
  request.recipe.environment[alignment.environment] = (run.folder / kStepFile).string();
  for (const auto& [variable, value] : alignment.needs)
    request.recipe.environment[variable] =
        neutralise::fill(family_variable(*run.side, variable, value), {.attempt = run.folder.string()});
  return request;
}

void take(StepRun& run, const AttemptOutcome& outcome) {
  if (fs::exists(run.folder / kStepFile) && outcome.undone.empty()) run.file = run.folder / kStepFile;
  else if (!outcome.undone.empty()) run.why = "it was not perturbed: " + outcome.undone;
  else run.why = outcome.text + " before an optimizer made its first step after a call of a module in training mode";
}

}  // namespace

std::vector<int> perturbations_of(const configs::Side& side) {
  if (!side.perturb) return {0};
  if (side.perturb->switches.empty()) return {0, kFineSeed, kCoarseSeed};
  return side.perturb->switches.size() == 1 ? std::vector{0, 1} : std::vector{0, 1, 2};
}

void run_steps(const configs::Experiment& experiment, launch::Launcher& launcher, const std::string& run_tag,
               std::vector<StepRun>& runs, const std::function<void(const StepRun&)>& ended) {
  // What follows its first step is of no use.
  Attempts attempts(launcher, experiment.metrics, run_tag, 0,
                    [](const RunningAttempt& running) { return fs::exists(running.request.folder / kStepFile); });
  std::vector<bool> started(runs.size());
  const auto start_some = [&] {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (started[i]) continue;
      const auto slot = runs[i].side->pool->acquire();
      if (!slot) continue;
      started[i] = true;
      AttemptRequest request = request_of(*experiment.align, runs[i], i + 1);
      if (experiment.steps) request.steps = experiment.steps;
      attempts.start(std::move(request), *slot);
    }
  };
  for (start_some(); attempts.any_running(); start_some()) {
    const std::vector<AttemptOutcome> outcomes = attempts.wait();
    if (launcher.signal_number() != 0) {
      attempts.stop_all();
      throw Interrupted(launcher.signal_number());
    }
    for (const AttemptOutcome& outcome : outcomes) {
      StepRun& run = runs.at(outcome.trial - 1);
      take(run, outcome);
      ended(run);
    }
  }
}

}  // namespace bisectd::driver::align
