#include "driver/align/step_runs.hpp"

#include <fmt/format.h>

#include "driver/launch/interrupted.hpp"
#include "driver/log/log.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver::align {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStepFile = "align.jsonl";

/// `attempt`: from 1 on; each has a folder of its own.
AttemptRequest request_of(const configs::Alignment& alignment, const StepRun& run, std::size_t number, int attempt) {
  const fs::path folder = attempt == 1 ? run.folder : fs::path(fmt::format("{}-again-{}", run.folder.string(), attempt - 1));
  AttemptRequest request{{.side = run.side}, number, attempt, folder, run.perturbed};
  request.recipe = neutralise::as_it_is(*run.side->settings);
  request.recipe.environment[alignment.environment] = (folder / kStepFile).string();
  for (const auto& [variable, value] : alignment.needs)
    request.recipe.environment[variable] =
        neutralise::fill(family_variable(*run.side, variable, value), {.attempt = folder.string()});
  return request;
}

void take(StepRun& run, const AttemptOutcome& outcome) {
  run.folder = outcome.folder;
  if (fs::exists(run.folder / kStepFile) && outcome.undone.empty()) run.file = run.folder / kStepFile;
  else if (!outcome.undone.empty()) run.why = "it was not perturbed: " + outcome.undone;
  else run.why = outcome.text + " before an optimizer made its first step after a call of a module in training mode";
}

}  // namespace

std::vector<int> perturbations_of(const configs::Side& side) {
  if (!side.perturb) return {0};
  return side.perturb->switches.size() == 1 ? std::vector{0, 1} : std::vector{0, 1, 2};
}

void run_steps(const configs::Experiment& experiment, launch::Launcher& launcher, const std::string& run_tag,
               std::vector<StepRun>& runs, const std::function<void(const StepRun&)>& ended) {
  // What follows its first step is of no use.
  Attempts attempts(launcher, experiment.metrics, run_tag, 0, {},
                    [](const RunningAttempt& running) { return fs::exists(running.request.folder / kStepFile); });
  std::vector<bool> due(runs.size(), true);
  std::vector<int> launched(runs.size());
  const auto start_some = [&] {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!due[i]) continue;
      const auto slot = runs[i].side->pool->acquire();
      if (!slot) continue;
      due[i] = false;
      AttemptRequest request = request_of(*experiment.align, runs[i], i + 1, ++launched[i]);
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
      const std::size_t i = outcome.trial - 1;
      due[i] = outcome.ending == Ending::lost && !fs::exists(outcome.folder / kStepFile) && launched[i] <= kMostLost;
      if (due[i]) {
        log::info(fmt::format("{}: {}; started once more", runs[i].name, outcome.text));
        continue;
      }
      take(runs[i], outcome);
      ended(runs[i]);
    }
  }
}

}  // namespace bisectd::driver::align
