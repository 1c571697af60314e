// What must hold for any curve: no crash, no silent NaN, no pass beyond the target, no dependence on units or order.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "driver/judge/early_stop.hpp"
#include "driver/judge/preflight.hpp"
#include "driver/judge/verdict.hpp"
#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

/// Values that logs really hold, and those that break arithmetic.
double nasty_value() {
  const double inf = std::numeric_limits<double>::infinity();
  return *rc::gen::oneOf(
      rc::gen::element(0.0, -0.0, 1e308, -1e308, 5e-324, 1.0, inf, -inf, std::numeric_limits<double>::quiet_NaN()),
      rc::gen::map(rc::gen::inRange(-3000, 3000), [](int x) { return x / 1000.0; }));
}

Curve nasty_curve() {
  Series series;
  const int points = *rc::gen::inRange(0, 60);
  std::int64_t step = *rc::gen::inRange<std::int64_t>(-5, 1000);
  for (int i = 0; i < points; ++i) {
    series.push_back({step, nasty_value()});
    step += *rc::gen::weightedElement<std::int64_t>({{20, 1}, {1, 0}, {1, -7}, {1, 5}});
  }
  return curve_of(std::move(series));
}

std::vector<Curve> some(int least, Curve (*make)()) {
  std::vector<Curve> curves;
  const int count = *rc::gen::inRange(least, 5);
  while (static_cast<int>(curves.size()) < count) curves.push_back(make());
  return curves;
}

/// A plausible experiment: references and attempts with noise, a bias, sometimes identical runs.
struct Experiment {
  std::vector<Curve> references, attempts;
};

Experiment plausible() {
  Experiment experiment;
  const auto n = *rc::gen::inRange<std::int64_t>(20, 300);
  const double noise = *rc::gen::element(0.0, 0.0003, 0.002, 0.01);
  const double bias = *rc::gen::inRange(-300, 300) / 10000.0;
  const int m = *rc::gen::inRange(1, 6), repeats = *rc::gen::inRange(1, 4);
  for (int i = 0; i < m; ++i) experiment.references.push_back(noisy(n, *rc::gen::inRange<std::uint64_t>(0, 1000), noise));
  for (int i = 0; i < repeats; ++i) {
    experiment.attempts.push_back(noisy(n, *rc::gen::inRange<std::uint64_t>(1000, 2000), noise, bias));
  }
  return experiment;
}

Curve scaled(Curve curve, double factor) {
  for (Point& point : curve.series["loss"]) point.value *= factor;
  return curve;
}

std::vector<Curve> scaled(std::vector<Curve> curves, double factor) {
  for (Curve& one : curves) one = scaled(std::move(one), factor);
  return curves;
}

}  // namespace

TEST_CASE("any curves give a verdict or a problem, and every number in it is finite") {
  CHECK(rc::check([] {
    const auto references = some(1, nasty_curve), attempts = some(1, nasty_curve);
    const auto reference = prepare_reference({}, references, kLoss);
    if (!reference) {
      RC_ASSERT(!reference.error().message.empty());
      return;
    }
    preflight(*reference, {});
    NoisePool pool;
    EarlyStop early(*reference, pool);
    early.look(attempts.front());
    const Judgement judgement = judge(*reference, attempts, pool);
    RC_ASSERT(!judgement.reason.empty());
    RC_ASSERT(!judgement.text.empty());
    RC_ASSERT(judgement.p_bad >= 0 && judgement.p_bad <= 1);
    for (const auto& value : {judgement.delta, judgement.standard_error, judgement.noise, judgement.detectable}) {
      RC_ASSERT(!value || std::isfinite(*value));
    }
    for (const auto& [metric, spread] : judgement.spreads)
      RC_ASSERT(std::isfinite(spread.last) && std::isfinite(spread.both));
  }));
}

TEST_CASE("never a pass beyond the target, never a fail by level within it") {
  CHECK(rc::check([] {
    const Experiment experiment = plausible();
    const auto reference = prepare_reference({}, experiment.references, kLoss);
    RC_ASSERT(reference.has_value());
    const Judgement judgement = judge(*reference, experiment.attempts, {});
    if (judgement.verdict == Verdict::pass) RC_ASSERT(std::abs(judgement.delta.value()) <= 0.005);
    if (judgement.reason == "level" && judgement.verdict == Verdict::fail) {
      RC_ASSERT(std::abs(judgement.delta.value()) > 0.005);
    }
  }));
}

TEST_CASE("NaN in a candidate never disappears") {
  CHECK(rc::check([] {
    const Reference reference = prepare_reference({}, noisy_references(200, 3, 0.001), kLoss).value();
    Curve candidate = noisy(200, 50, 0.001);
    const int count = *rc::gen::inRange(1, 10);
    for (int i = 0; i < count; ++i) {
      candidate.series["loss"][*rc::gen::inRange<std::size_t>(0, 200)].value = std::numeric_limits<double>::quiet_NaN();
    }
    const Judgement judgement = judge(reference, std::vector<Curve>{candidate}, {});
    const bool noted = std::any_of(judgement.notes.begin(), judgement.notes.end(),
                                   [](const std::string& note) { return note.find("NaN") != std::string::npos; });
    RC_ASSERT(judgement.reason == "nan" || noted);
  }));
}

TEST_CASE("units do not matter: scaling both sides by a power of two changes nothing") {
  CHECK(rc::check([] {
    const Experiment experiment = plausible();
    const double factor = *rc::gen::element(0.25, 1024.0, -2.0);
    const auto plain = prepare_reference({}, experiment.references, kLoss);
    const auto other = prepare_reference({}, scaled(experiment.references, factor), kLoss);
    const Judgement a = judge(*plain, experiment.attempts, {});
    const Judgement b = judge(*other, scaled(experiment.attempts, factor), {});
    RC_ASSERT(a.verdict == b.verdict);
    RC_ASSERT(a.reason == b.reason);
    if (a.delta) RC_ASSERT(std::abs(std::abs(*a.delta) - std::abs(*b.delta)) < 1e-12);
  }));
}

TEST_CASE("the order of references and of attempts does not matter") {
  CHECK(rc::check([] {
    Experiment experiment = plausible();
    const Judgement a = judge(prepare_reference({}, experiment.references, kLoss).value(), experiment.attempts, {});
    std::reverse(experiment.references.begin(), experiment.references.end());
    std::reverse(experiment.attempts.begin(), experiment.attempts.end());
    const Judgement b = judge(prepare_reference({}, experiment.references, kLoss).value(), experiment.attempts, {});
    RC_ASSERT(a.verdict == b.verdict);
    // Of several attempts with events the first one is told, with its own difference.
    if (a.standard_error && b.standard_error) RC_ASSERT(std::abs(*a.delta - *b.delta) < 1e-12);
  }));
}

TEST_CASE("logging a step again with the same value changes nothing but the note") {
  CHECK(rc::check([] {
    const Experiment experiment = plausible();
    const Reference reference = prepare_reference({}, experiment.references, kLoss).value();
    std::vector<Curve> again = experiment.attempts;
    Series& series = again.front().series["loss"];
    const auto back = *rc::gen::inRange<std::size_t>(0, series.size());
    const Series tail(series.begin() + static_cast<std::ptrdiff_t>(back), series.end());
    series.insert(series.end(), tail.begin(), tail.end());
    RC_ASSERT(judge(reference, again, {}).verdict == judge(reference, experiment.attempts, {}).verdict);
  }));
}
