#include "driver/loop/ladders.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "driver/log/log.hpp"
#include "driver/loop/problem.hpp"
#include "reports/escape.hpp"
#include "reports/result_lines.hpp"

namespace bisectd::driver {

namespace {

using strategies::Neutralised;
using strategies::SuspectSet;

/// One trial for each value that is selected, all at full length; in the order of the values.
std::vector<reports::Rung> try_values(Run& run, const std::string& family, const Neutralised& neutralised) {
  const neutralise::Rungs before = run.state.rungs;
  const std::vector<std::string> values =
      neutralise::selected_values(run.experiment.families.at(family), run.experiment.suspects.at(family));
  std::vector<TrialPlan> plans;
  for (const std::string& value : values) {
    run.state.rungs[family] = value;
    plans.push_back(run.plan_for(Role::ladder, neutralised, reason_of_rung(family, value)));
  }
  run.state.rungs = before;
  std::vector<reports::Rung> rungs;
  for (const FinishedTrial& trial : run.run_all(std::move(plans)))
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

namespace {

/// The trials of the last round that is judged for all of `values`, in their order; else empty. A round is told by the
/// values that other ladders had.
std::vector<reports::Rung> rungs_in(const History& history, const std::string& family,
                                    const std::vector<std::string>& values, bool alone) {
  std::map<neutralise::Rungs, std::map<std::string, const PastTrial*>> rounds;
  std::vector<reports::Rung> rungs;
  for (const PastTrial& past : history.trials) {
    const auto value =
        std::ranges::find_if(values, [&](const std::string& one) { return past.reason == reason_of_rung(family, one); });
    if (past.role != Role::ladder || value == values.end()) continue;
    if (!past.judgement || alone != (past.neutralised.count() == 1)) continue;
    neutralise::Rungs others = past.rungs;
    others.erase(family);
    auto& round = rounds[others];
    round[*value] = &past;
    if (round.size() < values.size()) continue;
    rungs.clear();
    for (const std::string& each : values) {
      const PastTrial& trial = *round.at(each);
      rungs.push_back(
          {.value = each, .trial = trial.number, .verdict = trial.judgement->verdict, .delta = trial.judgement->delta});
    }
  }
  return rungs;
}

}  // namespace

std::string reason_of_rung(const std::string& family, const std::string& value) { return family + "=" + value; }

void find_window(reports::Ladder& ladder) {
  std::vector<strategies::Verdict> verdicts;  // of the numbers, which come first
  for (const reports::Rung& rung : ladder.rungs)
    if (configs::Ladder::is_number(rung.value)) verdicts.push_back(rung.verdict);
  if (const auto window = widest_window(verdicts)) {
    ladder.window = reports::PassingWindow{.first = window->first, .last = window->last, .taken = window->middle()};
    return;
  }
  for (std::size_t i = verdicts.size(); i < ladder.rungs.size(); ++i)
    if (ladder.rungs[i].verdict == strategies::Verdict::pass) {
      ladder.window = reports::PassingWindow{.first = i, .last = i, .taken = i};
      return;
    }
}

void take_what_changes(reports::Ladder& ladder, const std::vector<reports::Rung>& alone, const std::string& suspect,
                       double target) {
  if (!ladder.window || alone.size() != ladder.rungs.size()) return;
  const auto as_is = std::ranges::find(alone, suspect, &reports::Rung::value);
  if (as_is == alone.end() || !as_is->delta || !std::isfinite(*as_is->delta)) return;
  const auto change = [&](std::size_t rung) {
    const std::optional<double>& delta = alone[rung].delta;
    return delta && std::isfinite(*delta) ? std::abs(*delta - *as_is->delta) : 0.0;
  };
  reports::PassingWindow& window = *ladder.window;
  double most = 0;
  for (std::size_t rung = window.first; rung <= window.last; ++rung) most = std::max(most, change(rung));
  const auto changes_most = [&](std::size_t rung) { return change(rung) > most - target; };
  if (most <= target || changes_most(window.taken)) return;
  std::size_t first = window.first;
  while (!changes_most(first)) ++first;
  std::size_t last = first;
  while (last < window.last && changes_most(last + 1)) ++last;
  window.taken = PassingWindow{.first = first, .last = last}.middle();
}

const reports::Rung* rung_to_take(const reports::Ladder& ladder) {
  if (ladder.window) return &ladder.rungs.at(ladder.window->taken);
  const auto rank = [](const reports::Rung& rung) {
    return std::pair(rung.verdict == strategies::Verdict::fail, std::abs(*rung.delta));
  };
  const reports::Rung* best = nullptr;
  for (const reports::Rung& rung : ladder.rungs)
    if (rung.delta && std::isfinite(*rung.delta) && (!best || rank(rung) < rank(*best))) best = &rung;
  return best;
}

std::vector<reports::Ladder> climbed_ladders(const configs::Experiment& experiment, const History& history) {
  std::vector<reports::Ladder> ladders;
  for (const auto& [name, selection] : experiment.suspects) {
    if (experiment.families.at(name).kind != configs::FamilyKind::ladder) continue;
    const std::vector<std::string> values = neutralise::selected_values(experiment.families.at(name), selection);
    for (const bool alone : {false, true}) {
      reports::Ladder ladder{.family = name, .alone = alone, .rungs = rungs_in(history, name, values, alone)};
      if (ladder.rungs.size() < values.size()) continue;
      find_window(ladder);
      if (!alone)
        take_what_changes(ladder, rungs_in(history, name, values, true),
                          experiment.families.at(name).ladder.suspect.value_or(""), experiment.accept.target);
      ladders.push_back(std::move(ladder));
      break;
    }
  }
  return ladders;
}

std::optional<PassingWindow> widest_window(const std::vector<strategies::Verdict>& verdicts) {
  std::optional<PassingWindow> widest;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] != strategies::Verdict::pass) continue;
    PassingWindow window{i, i};
    while (i + 1 < verdicts.size() && verdicts[i + 1] == strategies::Verdict::pass) window.last = ++i;
    if (!widest || window.last - window.first >= widest->last - widest->first) widest = window;
  }
  return widest;
}

}  // namespace bisectd::driver
