// Which value of a ladder (the loss scale) neutralises it: the middle of the widest window of values that pass. Found
// before the search, which then sees a ladder as one suspect. Methods of Loop.
#include <fmt/format.h>

#include <algorithm>

#include "driver/loop/loop.hpp"
#include "driver/loop/window.hpp"
#include "driver/record/record_keeping.hpp"

namespace bisectd::driver {

using strategies::SuspectSet;
using strategies::Verdict;

/// One trial for each value that is selected, all at full length; in the order of the values.
std::vector<FinishedTrial> Loop::try_values(const std::string& family, const SuspectSet& neutralised) {
  const neutralise::Rungs before = rungs_;
  const auto& selected = experiment_.suspects.at(family).members;
  std::vector<std::string> values;
  for (const std::string& value : experiment_.families.at(family).ladder.values)
    if (selected.empty() || std::ranges::count(selected, value, &configs::Placed<std::string>::value)) values.push_back(value);
  for (const std::string& value : values) {
    rungs_[family] = value;
    TrialPlan plan = plan_for(Role::ladder, neutralised, fmt::format("{}={}", family, value));
    plan.retry_crash = false;  // a value that breaks the run is no value to recommend
    start_or_go_on(std::move(plan));
  }
  rungs_ = before;
  std::vector<FinishedTrial> finished;
  while (trials_.any_open())
    for (FinishedTrial& one : wait()) {
      take_in(one);
      finished.push_back(std::move(one));
    }
  std::ranges::sort(finished, {}, [&](const FinishedTrial& one) {
    return std::ranges::find(values, one.plan.rungs.at(family)) - values.begin();
  });
  return finished;
}

void Loop::climb_ladders() {
  for (const auto& [name, selection] : experiment_.suspects) {
    if (experiment_.families.at(name).kind != configs::FamilyKind::ladder) continue;
    const auto id = catalogue_.find(name, name).value();
    const SuspectSet everything = SuspectSet(catalogue_.size()).set();
    // Alone first: those runs are fast, and where a value mends the subject by itself nothing else need be right.
    for (const SuspectSet& others : {SuspectSet(catalogue_.size()).set(id), everything}) {
      const std::vector<FinishedTrial> trials = try_values(name, others);
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
      if (window) rungs_[name] = trials[window->middle()].plan.rungs.at(name);
      record_.warnings.push_back(
          window ? fmt::format("{} passes {} from {} to {}; {} is the middle of that window ({})", name, beside,
                               trials[window->first].plan.rungs.at(name), trials[window->last].plan.rungs.at(name),
                               rungs_[name], scores)
                 : fmt::format("no value of {} passes {} ({})", name, beside, scores));
      progress_.line(record_.warnings.back());
      break;
    }
  }
}

}  // namespace bisectd::driver
