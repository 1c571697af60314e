#include "driver/loop/ladder_record.hpp"

#include <algorithm>

#include "driver/loop/passing_window.hpp"

namespace bisectd::driver {
namespace {

/// The trials of one round that are judged, in the order of `values`.
std::vector<reports::Rung> rungs_in(const History& history, const std::string& family,
                                    const std::vector<std::string>& values, bool alone) {
  std::vector<reports::Rung> rungs;
  for (const std::string& value : values)
    for (const PastTrial& past : history.trials) {
      const bool tries_it = past.role == Role::ladder && past.reason == reason_of_rung(family, value);
      if (!tries_it || !past.judgement || alone != (past.neutralised.count() == 1)) continue;
      rungs.push_back(
          {.value = value, .trial = past.number, .verdict = past.judgement->verdict, .delta = past.judgement->delta});
      break;
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
    ladder.window = reports::PassingWindow{.first = window->first, .last = window->last, .middle = window->middle()};
    return;
  }
  for (std::size_t i = verdicts.size(); i < ladder.rungs.size(); ++i)
    if (ladder.rungs[i].verdict == strategies::Verdict::pass) {
      ladder.window = reports::PassingWindow{.first = i, .last = i, .middle = i};
      return;
    }
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
      ladders.push_back(std::move(ladder));
      break;
    }
  }
  return ladders;
}

}  // namespace bisectd::driver
