// Which suspects a search will have, said before anything was run: for the commands that look ahead.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "driver/neutralise/catalogue.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/record/history.hpp"
#include "strategies/simulate/plant.hpp"

namespace CLI {
class App;
}

namespace bisectd::driver::commands {

struct ForeseenOptions {
  std::string experiment;
  std::optional<std::size_t> suspects;  ///< how many there will be, where a run must discover them
  std::string from;                     ///< an earlier run directory
};

void add_foreseen_options(CLI::App& command, ForeseenOptions& options);

/// The earlier run, if one was named. Throws UsageError.
std::optional<History> earlier_run(const ForeseenOptions& options);

/// Of the earlier run; else what the experiment names, filled up to `options.suspects` with members of the first
/// discovered family that have no real name. Throws UsageError when the suspects cannot be foreseen.
neutralise::Catalogue foreseen_catalogue(const configs::Experiment& experiment, const ForeseenOptions& options,
                                         const std::optional<History>& earlier, const neutralise::Environment& base);

/// What a trial took in the earlier run: the median of its whole attempts, s; of those of one role, or of all trials.
std::optional<double> trial_time_s(const std::optional<History>& earlier, std::optional<Role> role = std::nullopt);

/// Lets the games of `plant` tell by first steps as the search of this experiment may: where repeats are perturbed, so that
/// what healthy runs differ by is known from the first step on, of a loss. Trials that end after these take as long beside a
/// whole one as in the earlier run; else as their share of the steps says, and a quarter for what comes before them.
void foresee_signatures(strategies::Plant& plant, const configs::Experiment& experiment,
                        const std::optional<History>& earlier);

}  // namespace bisectd::driver::commands
