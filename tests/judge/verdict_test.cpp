#include "driver/judge/verdict.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

const MetricRule kLoss{"loss", false};

Reference reference_of(const std::vector<Curve>& runs, configs::Acceptance accept = {}) {
  auto reference = prepare_reference(accept, runs, kLoss);
  REQUIRE(reference);
  return *reference;
}

Judgement judge_one(const Reference& reference, const Curve& candidate, const NoisePool& pool = {}) {
  return judge(reference, std::vector<Curve>{candidate}, pool);
}

NoisePool deterministic_pool() {
  NoisePool pool;
  Spread repeat;
  repeat.identical = 1;
  pool.add(repeat);
  return pool;
}

Curve shifted(std::int64_t n, double bias) {
  return curve(n, [=](std::int64_t step) { return plain_loss(step) * (1 + bias); });
}

}  // namespace

TEST_CASE("a short deterministic run is decided exactly, with one attempt") {
  const Reference reference = reference_of(identical_references(60, 3));
  CHECK(reference.distinct() == 1);
  const NoisePool pool = deterministic_pool();

  const Judgement below = judge_one(reference, shifted(60, 0.0043), pool);
  CHECK(below.verdict == Verdict::pass);
  CHECK(below.delta.value() == Approx(0.0043).epsilon(1e-3));
  CHECK(below.p_bad == 0);
  CHECK(below.notes.front().find("no noise floor: the references are identical") == 0);

  CHECK(judge_one(reference, shifted(60, -0.0027), pool).verdict == Verdict::pass);
  const Judgement beyond = judge_one(reference, shifted(60, -0.0053), pool);
  CHECK(beyond.verdict == Verdict::fail);
  CHECK(beyond.reason == "level");
  CHECK(beyond.p_bad == 1);
  CHECK_FALSE(beyond.repeat_helps);
}

TEST_CASE("without any repeat of the subject the first trial asks for one, and identical attempts settle it") {
  const Reference reference = reference_of(identical_references(60, 2));
  const Curve bad = shifted(60, 0.015);
  const Judgement once = judge_one(reference, bad);
  CHECK(once.verdict == Verdict::inconclusive);
  CHECK(once.reason == "no-noise-floor");
  CHECK(once.repeat_helps);

  const Judgement twice = judge(reference, std::vector<Curve>{bad, bad}, {});
  CHECK(twice.verdict == Verdict::fail);
  CHECK(twice.standard_error.value() == 0);
  CHECK(twice.spread.identical == 1);

  NoisePool pool;
  pool.add(twice.spread);
  CHECK(pool.deterministic());
}

TEST_CASE("a candidate equal to a reference passes at once and shows that the subject repeats") {
  const Reference reference = reference_of(identical_references(60, 2));
  const Judgement judgement = judge_one(reference, shifted(60, 0));
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.reason == "identical");
  CHECK(judgement.delta.value() == 0);
  CHECK(judgement.spread.identical == 1);
}

TEST_CASE("with a measured noise floor good passes, bad fails, and the edge is undecided") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.001));
  CHECK(reference.distinct() == 5);
  CHECK(judge_one(reference, noisy(1000, 50, 0.001)).verdict == Verdict::pass);
  const Judgement bad = judge_one(reference, noisy(1000, 50, 0.001, 0.015));
  CHECK(bad.verdict == Verdict::fail);
  CHECK(bad.p_bad > 0.99);
  CHECK(bad.first_bad_step.value() == 1);
  CHECK(bad.detectable.value() > 0.005);
}

TEST_CASE("what cannot be compared is unresolved, with its reason") {
  const Reference reference = reference_of(identical_references(100, 2));
  CHECK(judge_one(reference, Curve{}).reason == "no-curve");
  CHECK(judge_one(reference, curve(89, plain_loss)).reason == "truncated");
  Series between;
  for (int step = 1; step <= 100; ++step) between.push_back({1000 + step, 1.0});
  CHECK(judge_one(reference, curve_of(between)).verdict == Verdict::unresolved);
  CHECK(judge(reference, {}, {}).verdict == Verdict::unresolved);
}

TEST_CASE("NaN fails even when the run then crashed") {
  const Reference reference = reference_of(identical_references(100, 2));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Judgement judgement =
      judge_one(reference, curve(30, [=](std::int64_t step) { return step < 28 ? plain_loss(step) : nan; }));
  CHECK(judgement.verdict == Verdict::fail);
  CHECK(judgement.reason == "nan");
  CHECK(judgement.first_bad_step.value() == 28);
}
