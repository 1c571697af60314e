#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "driver/commands/drive.hpp"
#include "driver/commands/foreseen.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/launch/device_pool.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/problem.hpp"
#include "driver/trial/inherited_settings.hpp"
#include "driver/trial/sides.hpp"
#include "strategies/simulate/forecast.hpp"
#include "strategies/simulate/truth.hpp"

namespace bisectd::driver::commands {
namespace {

using nlohmann::ordered_json;

struct SimulateOptions {
  ForeseenOptions foreseen;
  strategies::Plant plant;
  std::optional<std::size_t> slots;
  std::optional<double> trial_minutes, everything_minutes;
  std::size_t games = 50;
  std::optional<std::uint64_t> seed;
  bool json = false;
};

struct Setting {
  std::size_t suspects = 0, slots = 0, games = 0;
  int devices_per_trial = 1;
  std::vector<std::size_t> causes;
  double trial_s = 0, everything_s = 0;  ///< with nothing and with everything neutralised
  std::string trial_time_from;

  double trial_hours() const { return trial_s / 3600; }
};

/// The subject's environment as far as it is known without running its setup.
neutralise::Environment written_environment(const configs::Side& side) {
  neutralise::Environment environment = inherited_environment();
  for (const std::string& name : side.unset) environment.erase(name);
  for (const auto& [name, value] : side.environment) environment[name] = value.value;
  return environment;
}

std::string causes_text(const std::vector<std::size_t>& causes) {
  std::string text;
  for (const std::size_t size : causes)
    text += (text.empty() ? "" : ", ") + (size == 1 ? "a lone culprit" : fmt::format("{} that fail only together", size));
  return text;
}

ordered_json json_of(const strategies::Spread& spread, double factor) {
  return {{"mean", spread.mean * factor},
          {"p10", spread.p10 * factor},
          {"median", spread.median * factor},
          {"p90", spread.p90 * factor},
          {"most", spread.most * factor}};
}

void print_json(const Setting& setting, const strategies::Forecast& forecast) {
  const ordered_json document = {
      {"suspects", setting.suspects},
      {"slots", setting.slots},
      {"causes", setting.causes},
      {"games", setting.games},
      {"trial_s", setting.trial_s},
      {"everything_s", setting.everything_s},
      {"trials", json_of(forecast.trials, 1)},
      {"signatures", json_of(forecast.signatures, 1)},
      {"rounds", json_of(forecast.rounds, 1)},
      {"hours", json_of(forecast.time, setting.trial_hours())},
      {"device_hours", json_of(forecast.device_time, setting.trial_hours() * setting.devices_per_trial)},
      {"right", forecast.exact},
      {"named", forecast.named},
      {"unfinished", forecast.unfinished}};
  fmt::print("{}\n", document.dump(2));
}

void print_line(const char* what, const strategies::Spread& spread, double factor) {
  fmt::print("{:<13}{:>9.1f}{:>9.1f}{:>9.1f}{:>9.1f}\n", what, spread.mean * factor, spread.median * factor,
             spread.p90 * factor, spread.most * factor);
}

void print_text(const Setting& setting, const strategies::Forecast& forecast) {
  fmt::print("{} suspects, {} at a time, {} games; planted: {}\n\n", setting.suspects,
             setting.slots == 1 ? "one trial" : fmt::format("{} trials", setting.slots), setting.games,
             causes_text(setting.causes));
  fmt::print("{:<13}{:>9}{:>9}{:>9}{:>9}\n", "", "mean", "median", "90 %", "most");
  print_line("trials", forecast.trials, 1);
  if (forecast.signatures.most > 0) print_line("short ones", forecast.signatures, 1);
  print_line("rounds", forecast.rounds, 1);
  print_line("hours", forecast.time, setting.trial_hours());
  print_line("device hours", forecast.device_time, setting.trial_hours() * setting.devices_per_trial);
  if (forecast.signatures.most > 0)
    fmt::print(
        "\nshort ones: trials that end after their first steps, by which the search tells causes apart; where runs vary "
        "by\nmore than rounding, or a fault begins late, they tell nothing (search.signature_steps: 0 plays that)\n");
  fmt::print("\nfound {:.0f} %, causes named {:.0f} %, ended without a proof {:.0f} %\n", 100 * forecast.exact,
             100 * forecast.named, 100 * forecast.unfinished);
  const std::string slower =
      setting.everything_s == setting.trial_s
          ? ""
          : fmt::format(" with nothing neutralised, {:.3g} with everything, by price between", setting.everything_s / 60);
  fmt::print(
      "hours count {:.3g} min for a trial{} ({}); the references, both ends, values of ladders and the controls at the end "
      "come on top\n",
      setting.trial_s / 60, slower, setting.trial_time_from);
}

/// What the person says is believed before what was seen, and that before the timeout.
void set_trial_times(Setting& setting, const SimulateOptions& options, const std::optional<History>& earlier,
                     double timeout_s) {
  const std::optional<double> as_is_s = trial_time_s(earlier, Role::as_is), all_s = trial_time_s(earlier, Role::everything);
  const std::optional<double> seen_s = as_is_s && all_s ? as_is_s : trial_time_s(earlier);
  setting.trial_s = options.trial_minutes ? *options.trial_minutes * 60 : seen_s.value_or(timeout_s);
  setting.everything_s = options.everything_minutes                   ? *options.everything_minutes * 60
                         : !options.trial_minutes && as_is_s && all_s ? *all_s
                                                                      : setting.trial_s;
  setting.trial_time_from = options.trial_minutes ? "--trial-minutes"
                            : seen_s              ? "as in the earlier run"
                                                  : "the timeout; --trial-minutes says it better";
}

ExitCode simulate(const SimulateOptions& options) {
  configs::Experiment experiment = load(options.foreseen.experiment);
  const neutralise::Environment base = written_environment(experiment.subject);
  settle_toggles(experiment, base);
  const std::optional<History> earlier = earlier_run(options.foreseen);
  const neutralise::Catalogue catalogue = foreseen_catalogue(experiment, options.foreseen, earlier, base);
  const Scope scope = first_scope(experiment, catalogue);
  const std::vector<std::size_t>& causes = options.plant.cause_sizes;
  if (const std::size_t culprits = std::accumulate(causes.begin(), causes.end(), std::size_t{0}); culprits > scope.size())
    throw UsageError(fmt::format("--causes: {} culprits cannot be planted into {} suspects", culprits, scope.size()));

  Setting setting{.suspects = scope.size(),
                  .slots = options.slots.value_or(launch::DevicePool(experiment.subject).size()),
                  .games = options.games,
                  .devices_per_trial = experiment.subject.devices.per_trial,
                  .causes = causes};
  set_trial_times(setting, options, earlier, std::chrono::duration<double>(experiment.subject.timeout).count());
  strategies::Plant plant = options.plant;
  plant.slowdown = setting.everything_s / setting.trial_s;
  if (plant.flip <= 0) foresee_signatures(plant, experiment, earlier);
  strategies::Problem problem = narrowed(problem_of(experiment, catalogue, setting.slots, options.plant.flip <= 0), scope);
  problem.seed = options.seed.value_or(problem.seed);
  if (!strategies::PlantedTruth(problem, plant, problem.seed).whole())
    throw UsageError("--causes: so many culprits cannot be planted: there are fewer suspects");
  const auto most = static_cast<std::size_t>(experiment.search.budget_trials.value_or(2000));
  const strategies::Forecast forecast =
      strategies::simulate(problem, plant, options.games, engine_of(experiment.search.engine), most);
  options.json ? print_json(setting, forecast) : print_text(setting, forecast);
  return ExitCode::success;
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  const auto [command, options] =
      add_command(app, action, "simulate",
                  "play searches for culprits planted among your suspects: how many trials and hours they take", simulate);
  add_foreseen_options(command, options.foreseen);
  command
      .add_option("--causes", options.plant.cause_sizes,
                  "one number per cause: 1 a lone culprit, 2 a pair that fails only together, 3 three of them")
      ->delimiter(',')
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  command.add_option("--flip", options.plant.flip, "noise: share of the verdicts that are wrong")
      ->check(number_in(0.0, 0.3));
  command.add_option("--crash", options.plant.crash, "share of the sets that break the run")->check(number_in(0.0, 0.5));
  command
      .add_option("--hints", options.plant.hint_quality,
                  "share of the culprits that `likely` names, along with 5 % of the innocent")
      ->check(number_in(0.0, 1.0));
  command.add_option("--at-once", options.slots, "trials that run at once, instead of what the devices allow")
      ->check(CLI::Range(1, 1024));
  command.add_option("--trial-minutes", options.trial_minutes, "what one trial takes")->check(number_in(0.001, 1e6));
  command.add_option("--everything-minutes", options.everything_minutes, "what one trial takes with everything neutralised")
      ->check(number_in(0.001, 1e6));
  command.add_option("--games", options.games, "searches to play")->check(CLI::Range(1, 100000))->capture_default_str();
  command.add_option("--seed", options.seed, "seed of the first search, instead of the experiment's")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  command.add_flag("--json", options.json, "print one JSON document");
}

}  // namespace bisectd::driver::commands
