#include "driver/loop/broken_runs.hpp"

#include <fmt/format.h>

#include <string>

namespace bisectd::driver {

void warn_of_broken_runs(Run& run) {
  const strategies::Answer& answer = run.state.answer;
  const auto told = [&](const char* whose, auto is_meant) {
    std::size_t runs = 0, breaks = 0;
    std::string last;
    for (const PastTrial& trial : run.state.history.trials) {
      if (!trial.judgement || !is_meant(trial)) continue;
      for (const PastAttempt& attempt : trial.attempts) {
        if (!attempt.ending || attempt.ending == Ending::lost || attempt.ending == Ending::interrupted) continue;
        ++runs;
        if (!broke(*attempt.ending)) continue;
        ++breaks;
        last = attempt.text;
      }
    }
    if (breaks > 0) run.warn(fmt::format("{} of {} runs of {} broke and were made again: {}", breaks, runs, whose, last));
  };
  if (!run.must_only_run())
    told("the subject as it is",
         [](const PastTrial& trial) { return trial.neutralised.none() && is(trial.role, reports::kEvidence); });
  if (answer.state != strategies::State::proved) return;
  const strategies::SuspectSet fix = run.state.catalogue.set_of(answer.culprit_set);
  told("the subject with the culprit set neutralised",
       [&](const PastTrial& trial) { return trial.neutralised == fix && is(trial.role, reports::kEvidence); });
}

}  // namespace bisectd::driver
