#include "driver/judge/early_stop.hpp"

#include <limits>

#include "driver/judge/horizon.hpp"
#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

Curve prefix(const Curve& whole, std::size_t points) {
  Series series = whole.series.at("loss");
  series.resize(points);
  return curve_of(series);
}

/// The step at which a run that is watched after every `every` points is ended, with the reason.
std::pair<std::size_t, std::string> stopped(const Reference& reference, const Curve& run, std::size_t every = 7) {
  const NoisePool pool;
  EarlyStop early(reference, pool);
  for (std::size_t points = every; points < run.series.at("loss").size(); points += every) {
    if (const auto judgement = early.look(prefix(run, points))) return {points, judgement->reason};
  }
  return {0, ""};
}

}  // namespace

TEST_CASE("a constant error of 3 % is ended early, good runs and transients never") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.0005));
  const auto [step, reason] = stopped(reference, noisy(1000, 50, 0.0005, 0.015));
  CHECK(reason == "level");
  CHECK(step < 300);
  CHECK(stopped(reference, noisy(1000, 50, 0.0005)).first == 0);
  CHECK(stopped(reference, noisy(1000, 50, 0.0005, 0.004)).first == 0);
  const Curve transient = curve(1000, [](std::int64_t step_now) {
    return plain_loss(step_now) *
           (1 + 0.03 * std::exp(-static_cast<double>(step_now) / 250) + 0.0005 * jitter(77, step_now));
  });
  CHECK(stopped(reference, transient).first == 0);
}

TEST_CASE("a run that rounds coarsely is not ended for what its own rounding may explain") {
  Reference reference = reference_of(noisy_references(1000, 5, 0.0005));
  reference.ensemble = Ensemble{.fine = 0.0005,
                                .coarse = 0.004,
                                .dof = 6,
                                .rounding = {.fine = 1e-6, .coarse = 1e-3, .fine_size = 2.4e-7, .coarse_size = 1e-3}};
  const auto off_by_1_5_percent = [&](double first_step) {
    Curve bad = noisy(1000, 50, 0.0005, 0.015);
    bad.series["loss"].front().value = reference.mean.front() * (1 + first_step);
    return bad;
  };
  CHECK(stopped(reference, off_by_1_5_percent(1e-7)).second == "level");
  CHECK(stopped(reference, off_by_1_5_percent(1e-3)).first == 0);
}

TEST_CASE("what early stop says depends on the curve, not on how often it is asked") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.0005));
  const Curve bad = noisy(1000, 50, 0.0005, 0.015);
  const NoisePool pool;
  EarlyStop often(reference, pool), once(reference, pool);
  std::optional<Judgement> first;
  for (std::size_t points = 10; points <= 1000 && !first; points += 10) first = often.look(prefix(bad, points));
  const auto at_once = once.look(bad);
  REQUIRE(first);
  REQUIRE(at_once);
  CHECK(first->text == at_once->text);
}

TEST_CASE("NaN ends a run at once; without a noise floor nothing else does") {
  const Reference reference = reference_of(identical_references(1000, 2));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Curve dead = curve(1000, [=](std::int64_t step) { return step < 333 ? plain_loss(step) : nan; });
  CHECK(stopped(reference, dead, 1).first == 335);
  CHECK(stopped(reference, curve(1000, [](std::int64_t step) { return plain_loss(step) * 1.015; })).first == 0);
}

TEST_CASE("runs of a few steps are looked at, too") {
  for (const std::int64_t points : {1, 2, 3, 9})
    CHECK(stopped(reference_of(noisy_references(points, 3, 0.003)), noisy(points, 50, 0.003), 1).first == 0);
}

TEST_CASE("a short run has too few points to be ended by level") {
  const Reference reference = reference_of(noisy_references(60, 5, 0.0001));
  CHECK(stopped(reference, noisy(60, 50, 0.0001, 0.015), 1).first == 0);
}

TEST_CASE("the horizon is learnt from the known-bad run, and stays whole for a late one") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.0005));
  CHECK(learn_horizon(reference, {}, noisy(1000, 50, 0.0005, 0.015)) == 300);
  const Curve late = curve(1000, [](std::int64_t step) { return plain_loss(step) * (step > 800 ? 1.03 : 1.0); });
  CHECK(learn_horizon(reference, {}, late) == 1000);
  CHECK(learn_horizon(reference, {}, noisy(1000, 50, 0.0005)) == 1000);
  const Reference brief = reference_of(noisy_references(100, 5, 0.0005));
  CHECK(learn_horizon(brief, {}, noisy(100, 50, 0.0005, 0.04)) == 100);
}
