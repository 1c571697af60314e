#include "driver/loop/ladders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/loop/problem.hpp"
#include "driver/loop/window.hpp"

namespace bisectd::driver {
namespace {

using strategies::SuspectSet;
using strategies::Verdict;

/// One trial for each value that is selected, all at full length; in the order of the values.
std::vector<FinishedTrial> try_values(Night& night, const std::string& family, const SuspectSet& neutralised) {
  const neutralise::Rungs before = night.rungs;
  const auto& selected = night.experiment.suspects.at(family).members;
  std::vector<std::string> values;
  for (const std::string& value : night.experiment.families.at(family).ladder.values)
    if (selected.empty() || std::ranges::count(selected, value, &configs::Placed<std::string>::value)) values.push_back(value);
  for (const std::string& value : values) {
    night.rungs[family] = value;
    TrialPlan plan = night.plan_for(Role::ladder, neutralised, fmt::format("{}={}", family, value));
    plan.retry_crash = false;  // a value that breaks the run is no value to recommend
    night.start_or_go_on(std::move(plan));
  }
  night.rungs = before;
  std::vector<FinishedTrial> finished = night.wait_for_all();
  std::ranges::sort(finished, {}, [&](const FinishedTrial& one) {
    return std::ranges::find(values, one.plan.rungs.at(family)) - values.begin();
  });
  return finished;
}

}  // namespace

void climb_ladders(Night& night) {
  for (const auto& [name, selection] : night.experiment.suspects) {
    if (night.experiment.families.at(name).kind != configs::FamilyKind::ladder) continue;
    const auto id = night.catalogue.find(name, name).value();
    const SuspectSet everything = most_neutralised(night.experiment, night.catalogue);
    // Alone first: those runs are fast, and where a value mends the subject by itself nothing else need be right.
    for (const SuspectSet& others : {SuspectSet(night.catalogue.size()).set(id), everything}) {
      const std::vector<FinishedTrial> trials = try_values(night, name, others);
      std::vector<Verdict> verdicts;
      std::string scores;
      for (const FinishedTrial& trial : trials) {
        verdicts.push_back(trial.judgement.verdict);
        scores += fmt::format("{}{}: {}", scores.empty() ? "" : "; ", trial.plan.rungs.at(name), trial.judgement.text);
      }
      const auto window = widest_window(verdicts);
      const bool last = others == everything;
      if (!window && !last) continue;
      const std::string beside = last && everything.count() > 1 ? "with everything else neutralised" : "by itself";
      if (window) night.rungs[name] = trials[window->middle()].plan.rungs.at(name);
      night.record.warnings.push_back(
          window ? fmt::format("{} passes {} from {} to {}; {} is the middle of that window ({})", name, beside,
                               trials[window->first].plan.rungs.at(name), trials[window->last].plan.rungs.at(name),
                               night.rungs[name], scores)
                 : fmt::format("no value of {} passes {} ({})", name, beside, scores));
      night.progress.line(night.record.warnings.back());
      break;
    }
  }
}

}  // namespace bisectd::driver
