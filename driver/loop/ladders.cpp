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
    run.start_or_go_on(run.plan_for(Role::ladder, neutralised, reason_of_rung(family, value)));
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

reports::Ladder climb_beside_the_others(Run& run, const std::string& family, const std::vector<reports::Rung>& alone) {
  reports::Ladder ladder{.family = family,
                         .alone = false,
                         .rungs = try_values(run, family, most_neutralised(run.experiment, run.state.catalogue))};
  find_window(ladder);
  take_what_changes(ladder, alone, run.experiment.families.at(family).ladder.suspect.value_or(""),
                    run.experiment.accept.target);
  return ladder;
}

reports::Ladder climb_alone(Run& run, const std::string& family) {
  const std::size_t suspects = run.state.catalogue.size();
  const Neutralised only_it(SuspectSet(suspects).set(run.state.catalogue.find(family, family).value()));
  reports::Ladder ladder{.family = family, .alone = true, .rungs = try_values(run, family, only_it)};
  find_window(ladder);
  return ladder;
}

void take_value(Run& run, const reports::Ladder& ladder) {
  if (const reports::Rung* rung = rung_to_take(ladder)) run.state.rungs[ladder.family] = rung->value;
  log::info(reports::ladder_sentence(ladder, reports::plain));
}

}  // namespace

// Where two ladders are wrong, one is climbed while the other stands at a value that may be wrong. So one without a value
// that passes is climbed once more when another one has come to a better value.
void climb_ladders(Run& run) {
  struct Climbed {
    reports::Ladder ladder;
    std::vector<reports::Rung> alone;  ///< how each value fared by itself
    neutralise::Rungs others;          ///< the values of the other ladders then
  };
  std::vector<Climbed> ladders;
  const auto others_of = [&](const std::string& family) {
    neutralise::Rungs others = run.state.rungs;
    others.erase(family);
    return others;
  };
  for (const auto& [name, selection] : run.experiment.suspects) {
    if (run.experiment.families.at(name).kind != configs::FamilyKind::ladder) continue;
    if (!run.state.catalogue.find(name, name)) continue;  // added since the run began
    neutralise::Rungs others = others_of(name);
    // Alone first: those runs are fast, and where a value mends the subject by itself nothing else need be right.
    reports::Ladder ladder = climb_alone(run, name);
    std::vector<reports::Rung> alone = ladder.rungs;
    if (!ladder.window && run.state.catalogue.size() > 1) ladder = climb_beside_the_others(run, name, alone);
    take_value(run, ladder);
    ladders.push_back({std::move(ladder), std::move(alone), std::move(others)});
  }
  constexpr int kRounds = 2;
  for (int round = 0; round < kRounds; ++round)
    for (auto& [ladder, alone, others] : ladders) {
      if (ladder.window || others == others_of(ladder.family)) continue;
      others = others_of(ladder.family);
      ladder = climb_beside_the_others(run, ladder.family, alone);
      take_value(run, ladder);
    }
}

}  // namespace bisectd::driver
