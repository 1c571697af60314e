#include "driver/loop/ladders.hpp"

#include <algorithm>

#include "driver/log/log.hpp"
#include "driver/loop/ladder_record.hpp"
#include "driver/loop/problem.hpp"
#include "reports/escape.hpp"
#include "reports/ladders.hpp"

namespace bisectd::driver {
namespace {

using strategies::Neutralised;
using strategies::SuspectSet;

/// One trial for each value that is selected, all at full length; in the order of the values.
std::vector<reports::Rung> try_values(Run& run, const std::string& family, const Neutralised& neutralised) {
  const neutralise::Rungs before = run.state.rungs;
  const std::vector<std::string> values =
      neutralise::selected_values(run.experiment.families.at(family), run.experiment.suspects.at(family));
  for (const std::string& value : values) {
    run.state.rungs[family] = value;
    TrialPlan plan = run.plan_for(Role::ladder, neutralised, reason_of_rung(family, value));
    plan.crash_retries = 0;  // a value that breaks the run is no value to recommend
    run.start_or_go_on(std::move(plan));
  }
  run.state.rungs = before;
  std::vector<reports::Rung> rungs;
  for (const FinishedTrial& trial : run.wait_for_all())
    rungs.push_back({.value = trial.plan.rungs.at(family),
                     .trial = trial.plan.number,
                     .verdict = trial.judgement.verdict,
                     .delta = trial.judgement.delta});
  std::ranges::sort(rungs, {},
                    [&](const reports::Rung& rung) { return std::ranges::find(values, rung.value) - values.begin(); });
  return rungs;
}

reports::Ladder climb(Run& run, const std::string& family) {
  const std::size_t suspects = run.state.catalogue.size();
  // Alone first: those runs are fast, and where a value mends the subject by itself nothing else need be right.
  const Neutralised only_it(SuspectSet(suspects).set(run.state.catalogue.find(family, family).value()));
  reports::Ladder ladder{.family = family, .alone = true, .rungs = try_values(run, family, only_it)};
  find_window(ladder);
  if (ladder.window || suspects == 1) return ladder;
  ladder = {.family = family,
            .alone = false,
            .rungs = try_values(run, family, most_neutralised(run.experiment, run.state.catalogue))};
  find_window(ladder);
  return ladder;
}

}  // namespace

void climb_ladders(Run& run) {
  for (const auto& [name, selection] : run.experiment.suspects) {
    if (run.experiment.families.at(name).kind != configs::FamilyKind::ladder) continue;
    if (!run.state.catalogue.find(name, name)) continue;  // added since the run began
    const reports::Ladder ladder = climb(run, name);
    if (ladder.window) run.state.rungs[name] = ladder.rungs.at(ladder.window->middle).value;
    log::info(reports::ladder_sentence(ladder, reports::plain));
  }
}

}  // namespace bisectd::driver
