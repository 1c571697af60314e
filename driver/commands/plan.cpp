#include "driver/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/replace.hpp>
#include <filesystem>

#include "driver/baseline/recorded_curve.hpp"
#include "driver/commands/arguments.hpp"
#include "driver/commands/drive.hpp"
#include "driver/commands/foreseen.hpp"
#include "driver/launch/local.hpp"
#include "driver/keep/run_directory.hpp"
#include "driver/log/log.hpp"
#include "driver/loop/descent.hpp"
#include "driver/loop/inquiry.hpp"
#include "driver/loop/problem.hpp"
#include "driver/trial/attempt_files.hpp"
#include "driver/trial/samples.hpp"
#include "driver/trial/sides.hpp"
#include "reports/escape.hpp"
#include "reports/words.hpp"
#include "strategies/simulate/forecast.hpp"

namespace bisectd::driver::commands {
namespace {

namespace fs = std::filesystem;
using strategies::Neutralised;
using strategies::SuspectSet;

constexpr std::size_t kBatchShown = 3;      ///< trials of the first batch
constexpr std::size_t kHeadlineNames = 12;  ///< suspects in a headline
constexpr std::size_t kGames = 10;

struct PlanOptions {
  ForeseenOptions foreseen;
  std::string out = "bisectd-out";
};

class Plan {
 public:
  Plan(const PlanOptions& options, const configs::Experiment& experiment, Sides& sides)
      : experiment_(experiment), sides_(sides), folder_(fs::absolute(options.out) / (experiment.name + "-UTC")) {}

  void headline(const std::string& what) { fmt::print("{}. {}\n", ++steps_, what); }

  /// The next trial's command, as its first attempt would be launched.
  void command(LaunchSide& side, neutralise::Recipe recipe) {
    ++trial_;
    const auto folder = folder_ / fmt::format("trials/{:04}/attempt-1", trial_);
    const AttemptRequest request{
        {.side = &side, .recipe = std::move(recipe), .steps = experiment_.steps}, trial_, 1, folder};
    if (side.pool->free() == 0) free_devices();
    const auto slot = side.pool->acquire();
    const std::string text = shell_text(launch_command(request, *slot, experiment_.name + "-UTC"));
    fmt::print("   {}\n", boost::replace_all_copy(reports::plain_lines(text.substr(0, text.size() - 1)), "\n", "\n   "));
    taken_.emplace_back(&side, *slot);
  }

  /// What was started together has ended.
  void free_devices() {
    for (const auto& [side, slot] : taken_) side->pool->release(slot);
    taken_.clear();
  }

  neutralise::Recipe recipe(const neutralise::Catalogue& catalogue, const SuspectSet& neutralised) const {
    return neutralise::recipe_for(experiment_, catalogue, neutralised, sides_.subject.environment);
  }

 private:
  const configs::Experiment& experiment_;
  Sides& sides_;
  fs::path folder_;
  std::size_t steps_ = 0, trial_ = 0;
  std::vector<std::pair<LaunchSide*, launch::Slot>> taken_;
};

void show_perturbation(const configs::Side& side, int repeats) {
  if (!side.perturb || repeats < 2) return;
  fmt::print("   # run 1; a later one with {}\n", reports::plain(perturbation_text(*side.perturb, repeats)));
}

void show_ends(Plan& plan, const configs::Experiment& experiment, Sides& sides) {
  if (experiment.accept.goal == configs::Goal::runs) {
    plan.headline("no reference is run: a trial passes if it runs to its last step");
  } else if (experiment.reference.is_recorded()) {
    plan.headline(fmt::format("the reference is recorded: {}; nothing to run", recorded_reference(experiment).text));
  } else {
    plan.headline(fmt::format("the reference, {} times: their spread is the noise floor", experiment.reference.repeats));
    plan.command(sides.reference, {});
    show_perturbation(experiment.reference, experiment.reference.repeats);
    plan.free_devices();
  }
  const neutralise::Catalogue nobody;
  plan.headline("the subject with nothing neutralised: this must fail");
  plan.command(sides.subject, plan.recipe(nobody, SuspectSet(0)));
  show_perturbation(experiment.subject, experiment.accept.max_repeats);
  if (const auto families = families_seen_in_a_run(experiment); !families.empty()) {
    plan.headline(fmt::format("at the same time, if devices are free: which members of {} does a run use?",
                              boost::algorithm::join(families, ", ")));
    neutralise::Recipe recipe = plan.recipe(nobody, SuspectSet(0));
    set_discovery(recipe, experiment, sides.subject);
    plan.command(sides.subject, std::move(recipe));
  }
  plan.free_devices();
}

std::string names_of(const neutralise::Catalogue& catalogue, const Neutralised& neutralised) {
  return neutralised.count() * 2 <= catalogue.size() || neutralised.all()
             ? catalogue.labels(neutralised, kHeadlineNames)
             : "all but " + catalogue.labels(active_beside(neutralised), kHeadlineNames);
}

void show_search(Plan& plan, const neutralise::Catalogue& catalogue, const strategies::Problem& problem, const Scope& scope,
                 const Neutralised& everything, strategies::EngineKind engine, Sides& sides) {
  const Neutralised nothing{SuspectSet(catalogue.size())};
  plan.headline(fmt::format("the subject with {}{} suspects neutralised: this must pass",
                            everything.count() == scope.size() ? "all " : "", everything.count()));
  plan.command(sides.subject, plan.recipe(catalogue, everything));
  plan.free_devices();

  Inquiry search(problem, engine, scope);
  search.learn({.evidence = {.neutralised = nothing, .verdict = strategies::Verdict::fail, .p_bad = 1, .delta = {}}});
  search.learn({.evidence = {.neutralised = everything, .verdict = strategies::Verdict::pass, .p_bad = 0, .delta = {}}});
  const std::vector<strategies::Trial> trials = search.ask(problem.slots, {});
  for (std::size_t i = 0; i < trials.size() && i < kBatchShown; ++i) {
    plan.headline(fmt::format("search, {} of {} neutralised: {}", trials[i].neutralised.count(), scope.size(),
                              names_of(catalogue, trials[i].neutralised)));
    plan.command(sides.subject, plan.recipe(catalogue, trials[i].neutralised));
  }
  if (trials.size() > kBatchShown) fmt::print("   and {} more at the same time\n", trials.size() - kBatchShown);
  plan.free_devices();
}

void show_forecast(const configs::Experiment& experiment, const strategies::Problem& problem, strategies::EngineKind engine,
                   const std::optional<History>& earlier) {
  const std::optional<double> seen_s = trial_time_s(earlier);
  const double trial_s = seen_s.value_or(std::chrono::duration<double>(experiment.subject.timeout).count());
  fmt::print("\nExpected, with exact verdicts, {} of {} a trial:\n", seen_s ? "at" : "at the timeout",
             reports::duration_text(trial_s));
  for (const std::size_t culprits : {1, 3}) {
    if (culprits > problem.suspects.size()) break;
    strategies::Plant plant{.cause_sizes = std::vector<std::size_t>(culprits, 1)};
    foresee_signatures(plant, experiment, earlier);
    const strategies::Forecast forecast = strategies::simulate(problem, plant, kGames, engine);
    fmt::print(
        "  {} culprit{} {:5.1f} trials ({} in nine of ten cases{}), {:.1f} rounds, {}, {:.1f} device hours\n", culprits,
        culprits == 1 ? ": " : "s:", forecast.trials.mean, forecast.trials.p90,
        forecast.signatures.most > 0 ? fmt::format("; {:.1f} of them only first steps", forecast.signatures.mean) : "",
        forecast.rounds.mean, reports::duration_text(forecast.time.mean * trial_s),
        forecast.device_time.mean * trial_s / 3600 * experiment.subject.devices.per_trial);
  }
  for (const auto& [name, selection] : experiment.suspects) {
    const configs::Family& family = experiment.families.at(name);
    if (family.kind != configs::FamilyKind::ladder) continue;
    const std::size_t values = neutralise::selected_values(family, selection).size();
    fmt::print(
        "Before the search: {} for {}, one for each value alone; as many with everything else neutralised, if none of "
        "these passes.\n",
        reports::counted(values, "trial"), name);
  }
  for (const auto& [name, selection] : experiment.suspects)
    if (selection.then)
      fmt::print("Then, in the same run: a search among the parts (family {}) of the members of {} that are found guilty.\n",
                 selection.then->value, name);
  if (experiment.soak)
    fmt::print("At the end the fix alone, to step {} instead of {} (soak): {} more.\n", experiment.soak->value,
               *experiment.steps,
               reports::duration_text(trial_s * static_cast<double>(experiment.soak->value) /
                                      static_cast<double>(*experiment.steps)));
  fmt::print("Other cases (interactions, noise, crashes): bisectd simulate.\n");
}

ExitCode plan(const PlanOptions& options) {
  configs::Experiment experiment = load(options.foreseen.experiment);
  const std::optional<History> earlier = earlier_run(options.foreseen);
  launch::LocalLauncher launcher;
  const keep::TemporaryFolder scratch;
  Sides sides = prepare_sides(experiment, launcher, scratch.path(), experiment.name + "-plan");
  for (const auto& warning : settle_suspects(experiment, sides.subject)) log::warning(configs::render(warning));

  Plan steps(options, experiment, sides);
  const bool unknown = !earlier && !options.foreseen.suspects && !discovered_families(experiment).empty();
  std::optional<neutralise::Catalogue> catalogue;
  if (!unknown) catalogue = foreseen_catalogue(experiment, options.foreseen, earlier, sides.subject.environment);
  show_ends(steps, experiment, sides);
  if (!catalogue) {
    fmt::print(
        "\nWhat follows depends on the members that this run shows; --from an earlier run, or --suspects N for "
        "the expected number of trials.\n");
    return ExitCode::success;
  }
  const strategies::EngineKind engine = engine_of(experiment.search.engine);
  const strategies::Problem problem = problem_of(experiment, *catalogue, sides.subject.pool->size(), true);
  const Scope scope = first_scope(experiment, *catalogue);
  if (!options.foreseen.suspects)
    show_search(steps, *catalogue, problem, scope, most_neutralised(experiment, *catalogue), engine, sides);
  show_forecast(experiment, narrowed(problem, scope), engine, earlier);
  return ExitCode::success;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  const auto [command, options] = add_command(
      app, action, "plan", "print the first commands that a run would start, and how long it is likely to take", plan);
  add_foreseen_options(command, options.foreseen);
  command.add_option("--out", options.out, "folder that would get the run directory")->capture_default_str();
}

}  // namespace bisectd::driver::commands
