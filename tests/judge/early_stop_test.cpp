#include "driver/judge/early_stop.hpp"

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

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
  CHECK(step <= 310);
  CHECK(stopped(reference, noisy(1000, 50, 0.0005)).first == 0);
  CHECK(stopped(reference, noisy(1000, 50, 0.0005, 0.004)).first == 0);
  const Curve transient = curve(1000, [](std::int64_t step_now) {
    return plain_loss(step_now) *
           (1 + 0.03 * std::exp(-static_cast<double>(step_now) / 250) + 0.0005 * jitter(77, step_now));
  });
  CHECK(stopped(reference, transient).first == 0);
}

TEST_CASE("by windows: a fault that stays is ended early, healthy devices and faults that heal never") {
  const Training training{.steps = 600};
  for (const bool three : {false, true}) {
    const Reference reference = reference_of(three ? references(training) : one_reference(training));
    CAPTURE(three);
    for (const double rounding : {1e-6, 5e-4}) {
      const auto [step, reason] = stopped(reference, run(training, {.rounding = rounding, .fault = constant(4)}));
      CHECK(reason == "level");
      CHECK(step > 120);
      CHECK(step < 300);
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        CHECK(stopped(reference, run(training, {.rounding = rounding, .seed = seed})).first == 0);
      const Fault heals = [](std::int64_t now) { return 1 + 0.06 * std::exp(-static_cast<double>(now) / 150); };
      CHECK(stopped(reference, run(training, {.rounding = rounding, .fault = heals})).first == 0);
      CHECK(stopped(reference, run(training, {.rounding = rounding, .fault = between(100, 200, 5)})).first == 0);
    }
  }
}

TEST_CASE("a run that saw other batches, or prints otherwise, is not ended for what that makes of it") {
  const Training training{.steps = 600};
  const Reference reference = reference_of(references(training));
  CHECK(stopped(reference, run({.steps = 600, .order = 2})).first == 0);
  CHECK(stopped(reference, run({.steps = 600, .log = {.mean = 20}})).first == 0);
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

TEST_CASE("NaN ends a run at once, a difference that stays the same for sure soon") {
  const Reference reference = reference_of(identical_references(1000, 2));
  const Curve dead = curve(1000, [](std::int64_t step) { return step < 333 ? plain_loss(step) : kNan; });
  CHECK(stopped(reference, dead, 1).first == 335);
  CHECK(stopped(reference, curve(1000, [](std::int64_t step) { return plain_loss(step) * 1.015; })).first < 500);
}

TEST_CASE("runs of a few steps are looked at, too") {
  for (const std::int64_t points : {1, 2, 3, 9})
    CHECK(stopped(reference_of(noisy_references(points, 3, 0.003)), noisy(points, 50, 0.003), 1).first == 0);
}

TEST_CASE("a short run has too few points to be ended by level") {
  const Reference reference = reference_of(noisy_references(60, 5, 0.0001));
  CHECK(stopped(reference, noisy(60, 50, 0.0001, 0.015), 1).first == 0);
}
