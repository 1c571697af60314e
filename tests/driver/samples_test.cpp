// Which runs are samples: seeds over crashes and resumed trials, repeats that are none, and what is odd about perturbed
// runs.
#include "driver/trial/samples.hpp"

#include "tests/catch.hpp"

namespace bisectd::driver {
namespace {

const configs::Perturbation kSeeds{
    .environment = "SEED", .argument = {}, .switches = {}, .needs = {}, .made = {}, .undone = {}, .place = {}};

configs::Perturbation switches(std::size_t number) {
  configs::Perturbation perturb;
  for (std::size_t i = 0; i < number; ++i) perturb.switches.push_back({{"THREADS", {std::to_string(i), {}}}});
  return perturb;
}

judge::Curve curve(int perturbed, std::vector<double> values) {
  judge::Curve curve;
  curve.perturbed = perturbed;
  for (std::size_t i = 0; i < values.size(); ++i)
    curve.series["loss"].push_back({static_cast<std::int64_t>(i + 1), values[i]});
  return curve;
}

AttemptOutcome attempt(int perturbed, Ending ending = Ending::finished, std::vector<double> values = {8, 4, 2}) {
  AttemptOutcome outcome;
  outcome.perturbed = perturbed;
  outcome.ending = ending;
  outcome.text = "exited 1";
  outcome.curve = curve(perturbed, std::move(values));
  return outcome;
}

std::vector<int> seeds(const std::vector<judge::Curve>& curves) {
  std::vector<int> found;
  for (const judge::Curve& one : curves) found.push_back(one.perturbed.value());
  return found;
}

std::vector<Oddity> oddities(const std::vector<AttemptOutcome>& attempts, const configs::Perturbation& perturb = kSeeds) {
  std::vector<Oddity> found;
  for (const OddPerturbation& odd : odd_perturbations(attempts, perturb, "subject", "loss")) found.push_back(odd.oddity);
  return found;
}

}  // namespace

TEST_CASE("the first run is plain, repeats have the seeds 1, 2, 3, ...") {
  CHECK(next_seed(std::nullopt, {}, {}) == 0);
  CHECK(next_seed(kSeeds, {}, {}) == 0);
  CHECK(next_seed(kSeeds, {}, std::vector{0, 1, 2}) == 3);
  CHECK(next_seed(kSeeds, std::vector{attempt(0), attempt(1)}, {}) == 2);
  CHECK(next_seed(kSeeds, std::vector{attempt(0)}, std::vector{1}) == 2);
}

TEST_CASE("the retry of a crash is perturbed like what crashed") {
  CHECK(next_seed(kSeeds, std::vector{attempt(0, Ending::crashed)}, {}) == 0);
  CHECK(next_seed(kSeeds, std::vector{attempt(0, Ending::crashed), attempt(0)}, {}) == 1);
  CHECK(next_seed(kSeeds, std::vector{attempt(0), attempt(1, Ending::timed_out), attempt(2)}, {}) == 1);
  CHECK(next_seed(kSeeds, std::vector{attempt(1, Ending::crashed)}, std::vector{0, 2}) == 1);
  AttemptOutcome torn = attempt(1);
  torn.errors = {"a line that should hold a value"};
  CHECK(next_seed(kSeeds, std::vector{attempt(0), torn}, {}) == 1);
}

TEST_CASE("where the settings end, repeats are repeats") {
  CHECK(next_seed(switches(2), std::vector{attempt(0), attempt(1)}, {}) == 2);
  CHECK(next_seed(switches(2), std::vector{attempt(0), attempt(1), attempt(2)}, {}) == 0);
  CHECK(next_seed(switches(2), std::vector{attempt(0), attempt(2)}, {}) == 1);
}

TEST_CASE("curves come in the order of their seeds, and what changed nothing is a repeat") {
  CHECK(seeds(as_samples({curve(2, {8, 3}), curve(0, {8, 2}), curve(1, {8, 1})})) == std::vector{0, 1, 2});
  CHECK(seeds(as_samples({curve(0, {8, 2}), curve(1, {8, 2}), curve(2, {8, 3})})) == std::vector{0, 0, 2});
  CHECK(seeds(as_samples({curve(1, {8, 2}), curve(2, {8, 2})})) == std::vector{1, 0});
  // The same seed twice is the same sample, whatever its bits.
  CHECK(seeds(as_samples({curve(1, {8, 2}), curve(1, {8, 2})})) == std::vector{1, 1});
  CHECK(whole_curves(std::vector{attempt(1), attempt(0, Ending::crashed)}).size() == 1);
}

TEST_CASE("the run that is shown is the last one without a perturbation") {
  const std::vector attempts{attempt(0), attempt(0, Ending::finished, {1}), attempt(1), attempt(0, Ending::crashed)};
  CHECK(&plain_attempt(attempts) == &attempts[1]);
  const std::vector perturbed{attempt(0, Ending::crashed), attempt(1), attempt(2)};
  CHECK(&plain_attempt(perturbed) == &perturbed[2]);
  const std::vector broken{attempt(0, Ending::crashed), attempt(1, Ending::crashed)};
  CHECK(&plain_attempt(broken) == &broken[1]);
}

TEST_CASE("a perturbation that breaks the run breaks no trial") {
  CHECK(only_perturbed_broke(std::vector{attempt(0), attempt(1, Ending::crashed)}));
  CHECK_FALSE(only_perturbed_broke(std::vector{attempt(0, Ending::crashed), attempt(1)}));
  CHECK_FALSE(only_perturbed_broke(std::vector{attempt(1, Ending::crashed)}));
  CHECK_FALSE(only_perturbed_broke(std::vector{attempt(0), attempt(1, Ending::not_started)}));
}

TEST_CASE("what is odd about perturbed runs is said once") {
  const std::vector good{attempt(0), attempt(1, Ending::finished, {8 * (1 + 4e-4), 4.1, 2.1})};
  CHECK(oddities(good).empty());
  CHECK(oddities({attempt(0), attempt(1), attempt(2)}) == std::vector{Oddity::no_effect});
  CHECK(oddities({attempt(0), attempt(1), attempt(2, Ending::finished, {8 * (1 + 1e-6), 4.1, 2.1})}).empty());
  CHECK(oddities({attempt(0), attempt(1, Ending::finished, {8.4, 4, 2})}) == std::vector{Oddity::too_large});
  CHECK(oddities({attempt(0), attempt(1, Ending::crashed), attempt(1, Ending::crashed)}) == std::vector{Oddity::breaks});
  CHECK(oddities({attempt(0, Ending::crashed), attempt(1, Ending::crashed)}).empty());
  AttemptOutcome lost = good[1];
  lost.undone = "overwritten";
  CHECK(oddities({attempt(0), lost}) == std::vector{Oddity::undone});
  configs::Perturbation says = kSeeds;
  says.made = configs::Placed<std::string>{"made (?P<value>.*)", {}};
  CHECK(oddities(good, says) == std::vector{Oddity::unsaid});
  AttemptOutcome told = good[1];
  told.perturbation = "3 parameters";
  CHECK(oddities({attempt(0), told}, says).empty());
}

TEST_CASE("what a plan says of repeats") {
  CHECK(perturbation_text(kSeeds, 3) == "SEED=1, 2");
  CHECK(perturbation_text(switches(2), 3) == "THREADS=0, or THREADS=1");
  configs::Perturbation argument;
  argument.argument = configs::Placed<std::string>{"--perturb={seed}", {}};
  CHECK(perturbation_text(argument, 3) == "--perturb={seed} for {seed} = 1, 2");
}

}  // namespace bisectd::driver
