#include "driver/judge/verdict.hpp"

#include "driver/judge/grey_zone.hpp"
#include "driver/judge/panel.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/judge/curves.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

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

TEST_CASE("where repeats are identical and nothing was perturbed, only what no rounding explains fails") {
  const Reference reference = reference_of(identical_references(60, 3));
  CHECK(reference.distinct() == 1);
  const NoisePool pool = deterministic_pool();

  const Judgement below = judge_one(reference, shifted(60, 0.0043), pool);
  CHECK(below.verdict == Verdict::pass);
  CHECK(below.delta.value() == Approx(0.0043).epsilon(1e-3));
  CHECK(below.notes.front().starts_with("nothing shows how far healthy runs are apart"));

  const Judgement beyond = judge_one(reference, shifted(60, -0.015), pool);
  CHECK(beyond.verdict == Verdict::fail);
  CHECK(beyond.reason == "level");
  CHECK(beyond.p_bad > 0.99);
  CHECK_FALSE(beyond.repeat_helps);
}

TEST_CASE("growth alone fails no run whose healthy drift is unknown, however large it is") {
  const Reference reference = reference_of(identical_references(400, 3));
  const Curve drifting = curve(400, [](std::int64_t step) {
    return plain_loss(step) * (1 + 0.1 * std::exp((static_cast<double>(step) - 400) / 40));
  });
  const Judgement judgement = judge_one(reference, drifting, deterministic_pool());
  CHECK(judgement.verdict == Verdict::inconclusive);
  CHECK(judgement.reason == "rounding-unknown");
  CHECK(judgement.p_bad == 0.5);
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
  CHECK(twice.spreads.at("loss").identical == 1);

  NoisePool pool;
  pool.add(twice.spreads.at("loss"));
  CHECK(pool.deterministic());
}

TEST_CASE("a candidate equal to a reference passes at once and shows that the subject repeats") {
  const Reference reference = reference_of(identical_references(60, 2));
  const Judgement judgement = judge_one(reference, shifted(60, 0));
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.reason == "identical");
  CHECK(judgement.delta.value() == 0);
  CHECK(judgement.spreads.at("loss").identical == 1);
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
  CHECK(judge_one(reference, curve_of({{std::numeric_limits<std::int64_t>::min(), 1.0}})).reason == "misaligned");
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

TEST_CASE("a run that ends a little early is judged where it ended") {
  const Reference reference = reference_of(identical_references(100, 2));
  const Judgement judgement = judge_one(reference, shifted(95, 0.002), deterministic_pool());
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.delta.value() == Approx(0.002).epsilon(0.01));
  CHECK(judgement.notes.back() == "the curve ends at step 95 of 100; judged there");
}

TEST_CASE("a longer run is judged at the reference's last step") {
  const Reference reference = reference_of(identical_references(100, 2));
  const Curve later_bad = curve(200, [](std::int64_t step) { return plain_loss(step) * (step > 100 ? 2 : 1); });
  CHECK(judge_one(reference, later_bad).reason == "identical");
}

TEST_CASE("missing points in the final window: up to a fifth is fine, more is unresolved") {
  const Reference reference = reference_of(identical_references(100, 2));
  const auto without = [](int every) {
    Series series;
    for (int step = 1; step <= 100; ++step) {
      if (step < 76 || step % every != 0) series.push_back({step, plain_loss(step) * 1.002});
    }
    return curve_of(series);
  };
  CHECK(judge_one(reference, without(10), deterministic_pool()).verdict == Verdict::pass);
  const Judgement gaps = judge_one(reference, without(3), deterministic_pool());
  CHECK(gaps.verdict == Verdict::unresolved);
  CHECK(gaps.reason == "gaps");
}

TEST_CASE("points missing before the final window are told of, and too many are no curve") {
  const Reference reference = reference_of(identical_references(400, 2));
  const auto without = [](std::int64_t from, std::int64_t to) {
    Series series;
    for (std::int64_t step = 1; step <= 400; ++step)
      if (step < from || step > to) series.push_back({step, plain_loss(step)});
    return curve_of(series);
  };
  CHECK(judge_one(reference, without(51, 289), deterministic_pool()).reason == "gaps");
  const Judgement few = judge_one(reference, without(51, 90), deterministic_pool());
  CHECK(few.verdict == Verdict::pass);
  CHECK(std::ranges::count(few.notes, "40 of about 400 points are missing") == 1);
}

TEST_CASE("a regular log at a coarser interval has no gaps") {
  const Reference reference = reference_of(identical_references(200, 2));
  Series series;
  for (int step = 10; step <= 200; step += 10) series.push_back({step, plain_loss(step) * 1.03});
  const Judgement judgement = judge_one(reference, curve_of(series), deterministic_pool());
  CHECK(judgement.verdict == Verdict::fail);
  CHECK(judgement.delta.value() == Approx(0.03).epsilon(0.01));
}

TEST_CASE("steps that are counted from another number are told of") {
  const auto panel = Panel::seat({}, kLoss, noisy_references(200, 3, 0.0001));
  Series series;
  for (int step = 1; step <= 200; ++step) series.push_back({step - 1, plain_loss(step) * 1.03});
  const Judgement judgement = panel->judge(std::vector<Curve>{curve_of(series)});
  CHECK(judgement.verdict == Verdict::fail);
  CHECK(judgement.notes.back().starts_with("the steps run from 0 to 199 here, from 1 to 200 in the reference"));
}

TEST_CASE("steps that never meet are misaligned") {
  Series odd, even;
  for (int step = 101; step <= 301; step += 2) odd.push_back({step, 1.0});
  for (int step = 100; step <= 300; step += 2) even.push_back({step, 1.0});
  CHECK(judge_one(reference_of({curve_of(odd)}), curve_of(even)).reason == "misaligned");
}

TEST_CASE("a resumed candidate is judged by its last values, and said to be resumed") {
  const Reference reference = reference_of(identical_references(100, 2));
  Series series;
  for (int step = 1; step <= 90; ++step) series.push_back({step, 50.0});
  for (int step = 1; step <= 100; ++step) series.push_back({step, plain_loss(step) * 1.001});
  const Judgement judgement = judge_one(reference, curve_of(series), deterministic_pool());
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.notes.back().find("resumed") == 0);
}

TEST_CASE("a crashed attempt beside a whole one is left out, and said") {
  const Reference reference = reference_of(identical_references(100, 2));
  const std::vector<Curve> attempts = {curve(30, plain_loss), shifted(100, 0.001)};
  const Judgement judgement = judge(reference, attempts, deterministic_pool());
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.notes.back().find("an attempt is left out") == 0);
}

TEST_CASE("scores: higher is better, few evaluation points, sign as measured") {
  const auto score = [](double level) {
    Series series;
    for (int step = 500; step <= 5000; step += 500) series.push_back({step, level * (1 - 1.0 / (step / 250.0))});
    return curve_of(series, "acc");
  };
  configs::Acceptance worse_only;
  worse_only.worse_only = true;
  const std::vector<Curve> runs = {score(0.80), score(0.8002), score(0.7998)};
  const Reference both = prepare_reference({}, runs, {"acc", true}).value();
  const Reference worse = prepare_reference(worse_only, runs, {"acc", true}).value();
  const Judgement lower = judge_one(both, score(0.78));
  CHECK(lower.verdict == Verdict::fail);
  CHECK(lower.delta.value() == Approx(-0.025).epsilon(0.01));
  CHECK(judge_one(both, score(0.82)).verdict == Verdict::fail);
  CHECK(judge_one(worse, score(0.78)).verdict == Verdict::fail);
  CHECK(judge_one(worse, score(0.82)).verdict == Verdict::pass);
}

TEST_CASE("identical references with a noisy subject: repeats of the subject give the noise") {
  const Reference reference = reference_of(identical_references(1000, 3));
  NoisePool pool;
  const std::vector<Curve> good = {noisy(1000, 1, 0.001), noisy(1000, 2, 0.001), noisy(1000, 3, 0.001)};
  pool.add(judge(reference, good, pool).spreads.at("loss"));
  CHECK(pool.total.dof == 2);
  CHECK_FALSE(pool.deterministic());
  const std::vector<Curve> bad = {noisy(1000, 9, 0.001, 0.018), noisy(1000, 10, 0.001, 0.018)};
  CHECK(judge(reference, bad, pool).verdict == Verdict::fail);
}

TEST_CASE("a strict judgement leaves undecided what a search accepts") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.0015));
  const std::vector<Curve> attempt = {noisy(1000, 50, 0.0015, 0.002)};
  CHECK(judge(reference, attempt, {}).verdict == Verdict::pass);
  CHECK(judge(reference, attempt, {}, strict(reference.accept)).verdict == Verdict::inconclusive);
}

TEST_CASE("on a short noisy run one pass is not enough to rule spikes out") {
  const Reference reference = reference_of(noisy_references(100, 5, 0.0005));
  const Judgement once = judge_one(reference, noisy(100, 50, 0.0005));
  CHECK(once.verdict == Verdict::inconclusive);
  CHECK(once.reason == "few-points");
  CHECK(once.repeat_helps);
  const std::vector<Curve> twice = {noisy(100, 50, 0.0005), noisy(100, 51, 0.0005)};
  CHECK(judge(reference, twice, {}).verdict == Verdict::pass);
  Curve spiky = noisy(100, 52, 0.0005);
  spiky.series["loss"][20].value *= 1.3;
  const std::vector<Curve> thrice = {twice[0], twice[1], spiky};
  const Judgement suspicious = judge(reference, thrice, {});
  CHECK(suspicious.verdict == Verdict::inconclusive);
  CHECK(suspicious.reason == "spikes");
}

TEST_CASE("after the last repeat an undecided trial leans, and asks for no more") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.006));
  std::vector<Curve> attempts;
  Judgement judgement;
  for (std::uint64_t run = 60; run < 63; ++run) {
    attempts.push_back(noisy(1000, run, 0.006, 0.005));
    judgement = judge(reference, attempts, {});
  }
  CHECK(judgement.verdict == Verdict::inconclusive);
  CHECK_FALSE(judgement.repeat_helps);
  CHECK(judgement.text.find("leans to") != std::string::npos);
}
