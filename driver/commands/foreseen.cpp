#include "driver/commands/foreseen.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/algorithm/string/join.hpp>

#include "driver/commands/command.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/seen_run.hpp"
#include "driver/loop/problem.hpp"
#include "driver/trial/step_time.hpp"

namespace bisectd::driver::commands {

void add_foreseen_options(CLI::App& command, ForeseenOptions& options) {
  add_experiment(command, options.experiment);
  CLI::Option* suspects =
      command.add_option("--suspects", options.suspects, "how many suspects there will be, where a run discovers them")
          ->check(CLI::Range(1, 100000));
  command.add_option("--from", options.from, "take the suspects and the time of a trial from this run directory")
      ->excludes(suspects);
}

std::optional<History> earlier_run(const ForeseenOptions& options) {
  if (options.from.empty()) return std::nullopt;
  return read_history(open_run(options.from).journal());
}

neutralise::Catalogue foreseen_catalogue(const configs::Experiment& experiment, const ForeseenOptions& options,
                                         const std::optional<History>& earlier, const neutralise::Environment& base) {
  if (earlier) {
    if (!earlier->catalogue) throw UsageError(fmt::format("{} ended before its suspects were known", options.from));
    for (const neutralise::Member& member : earlier->catalogue->members())
      if (!experiment.suspects.contains(member.family))
        throw UsageError(
            fmt::format("{} is of another experiment: its family {} is not searched here", options.from, member.family));
    return *earlier->catalogue;
  }
  const std::vector<std::string> discovered = discovered_families(experiment);
  neutralise::Catalogue named = neutralise::make_catalogue(experiment, {}, neutralise::always_off(experiment, base));
  if (discovered.empty()) {
    if (options.suspects) throw UsageError("--suspects: this experiment names all its suspects itself");
    if (named.size() == 0) throw UsageError("there is no suspect: the subject is safe already in everything named");
    return named;
  }
  if (!options.suspects)
    throw UsageError(
        fmt::format("only a run can tell the members of {}: say how many suspects to expect (--suspects), "
                    "or name an earlier run (--from)",
                    boost::algorithm::join(discovered, ", ")));
  if (*options.suspects < named.size())
    throw UsageError(fmt::format("--suspects {}: the experiment names {} already", *options.suspects, named.size()));
  std::vector<neutralise::Member> members = named.members();
  for (std::size_t i = 1; members.size() < *options.suspects; ++i)
    members.push_back({discovered.front(), fmt::format("(discovered {})", i)});
  return neutralise::Catalogue(std::move(members));
}

std::optional<double> trial_time_s(const std::optional<History>& earlier, std::optional<Role> role) {
  std::vector<double> times_s;
  if (earlier)
    for (const PastTrial& trial : earlier->trials)
      for (const Attempt& attempt : trial.attempts)
        if ((!role || trial.role == *role) && trial.role != Role::reference && is_whole(attempt.ending))
          times_s.push_back(attempt.duration_s);
  return median(std::move(times_s));
}

void foresee_signatures(strategies::Plant& plant, const configs::Experiment& experiment,
                        const std::optional<History>& earlier) {
  constexpr double kStart = 0.25;  // of a whole trial, before its first step: a choice
  if (!experiment.reference.perturb && !experiment.subject.perturb) return;
  if (experiment.metrics.empty() || experiment.metrics.front().higher_is_better) return;
  plant.signature_steps = static_cast<std::size_t>(experiment.search.signature_steps);
  const auto whole_s = trial_time_s(earlier), short_s = trial_time_s(earlier, Role::signature);
  const double share =
      experiment.steps ? static_cast<double>(plant.signature_steps) / static_cast<double>(*experiment.steps) : 0;
  plant.signature_length = std::min(1.0, whole_s && short_s ? *short_s / *whole_s : kStart + (1 - kStart) * share);
}

}  // namespace bisectd::driver::commands
