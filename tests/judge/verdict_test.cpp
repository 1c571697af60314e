#include "driver/judge/verdict.hpp"

#include <algorithm>
#include <limits>

#include "driver/judge/grey_zone.hpp"

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

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

TEST_CASE("by windows: a fail says in which steps, how surely, and from where on") {
  const Reference reference = reference_of(references());
  const Judgement bad = judge_one(reference, run({}, {.fault = from(100, 3)}));
  CHECK(bad.verdict == Verdict::fail);
  CHECK(bad.reason == "level");
  CHECK(bad.metric == "loss");
  CHECK(bad.delta.value() == Approx(0.03).epsilon(0.1));
  CHECK(bad.window->first >= 97);
  CHECK(bad.standard_error.value() < 0.002);
  CHECK(bad.p_bad > 0.95);
  CHECK(bad.first_bad_step.value() == Approx(100).margin(12));  // blocks of a twentieth
  CHECK_FALSE(bad.noise);                                       // repeats were not what showed it
  CHECK_FALSE(bad.repeat_helps);

  const Judgement good = judge_one(reference, run({}));
  CHECK(good.verdict == Verdict::pass);
  CHECK(good.p_bad < 0.05);
  CHECK(good.detectable.value() > 0.005);
  CHECK(good.detectable.value() < 0.03);
  CHECK_FALSE(good.first_bad_step);
  CHECK(good.notes.empty());
}

TEST_CASE("by windows: what would have failed by its own number does") {
  for (const bool three : {false, true}) {
    const Reference reference = reference_of(three ? references() : one_reference());
    const double detectable = judge_one(reference, run({})).detectable.value();
    CHECK(judge_one(reference, run({}, {.fault = constant(100 * 1.3 * detectable)})).verdict == Verdict::fail);
  }
}

TEST_CASE("by windows: where only the beginning is quiet enough, a pass says up to where") {
  const Training training{.batch_noise = 0.3, .most_apart = 0.05};
  for (const bool three : {false, true}) {
    const Reference reference = reference_of(three ? references(training) : one_reference(training));
    const Judgement good = judge_one(reference, run(training));
    CHECK(good.verdict == Verdict::pass);
    REQUIRE(good.comparable_until);
    CHECK(*good.comparable_until > 60);
    CHECK(*good.comparable_until < 160);
    CHECK(good.window->last == *good.comparable_until);
    CHECK(good.text.find("behind that this log cannot tell") != std::string::npos);
    CHECK(judge_one(reference, run(training, {.fault = from(60, 20)})).verdict != Verdict::pass);
    CHECK(judge_one(reference, run(training, {.fault = from(180, 100)})).verdict != Verdict::pass);
  }
}

TEST_CASE("by windows: attempts are averaged, so that what they share remains") {
  const Training training{.most_apart = 0.03};
  const Reference reference = reference_of(one_reference(training));
  std::vector<Curve> attempts;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    attempts.push_back(run(training, {.rounding = 5e-4, .seed = seed, .fault = from(100, 1)}));
  const Judgement one = judge(reference, std::span(attempts).first(1), {}), four = judge(reference, attempts, {});
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(one.reason == "noise");
  CHECK(one.repeat_helps);
  CHECK(one.text.find("leans to") != std::string::npos);
  CHECK(four.standard_error.value() < 0.8 * one.standard_error.value());
  CHECK(four.delta.value() == Approx(0.01).margin(0.004));
  CHECK_FALSE(four.repeat_helps);  // no further one is allowed
  CHECK(four.spreads.at("loss").dof == 3);
}

TEST_CASE("an undecided run asks for a repeat, unless it is known that repeats give the same bits") {
  const Training training{.log = {.every = 10}};
  const Reference reference = reference_of(one_reference(training));
  const Curve bad = run(training, {.fault = from(40, 3)});
  const Judgement once = judge_one(reference, bad);
  CHECK(once.verdict == Verdict::inconclusive);
  CHECK(once.repeat_helps);
  CHECK_FALSE(judge_one(reference, bad, deterministic_pool()).repeat_helps);
  const Judgement twice = judge(reference, std::vector<Curve>{bad, bad}, {});
  CHECK_FALSE(twice.repeat_helps);
  CHECK(twice.spreads.at("loss").identical == 1);
  NoisePool pool;
  pool.add(twice.spreads.at("loss"));
  CHECK(pool.deterministic());
}

TEST_CASE("by repeats: good passes, bad fails, and near the target more are wanted until no more may follow") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.001));
  CHECK(reference.cause == Cause::chance);
  CHECK(judge_one(reference, noisy(1000, 50, 0.001)).verdict == Verdict::pass);
  const Judgement bad = judge_one(reference, noisy(1000, 50, 0.001, 0.015));
  CHECK(bad.verdict == Verdict::fail);
  CHECK(bad.p_bad > 0.99);
  CHECK(bad.first_bad_step.value() == 1);
  CHECK(bad.detectable.value() > 0.005);
  CHECK(bad.noise.value() > 0.0001);
  CHECK(bad.window->first == 701);

  const Reference noisier = reference_of(noisy_references(1000, 5, 0.006));
  std::vector<Curve> attempts;
  for (std::uint64_t seed = 60; seed < 63; ++seed) {
    attempts.push_back(noisy(1000, seed, 0.006, 0.005));
    const Judgement judgement = judge(noisier, attempts, {});
    CHECK(judgement.verdict == Verdict::inconclusive);
    CHECK(judgement.repeat_helps == attempts.size() < 3);
  }
}

TEST_CASE("by repeats: a subject that varies is judged by its own repeats, where the references are equal") {
  Panel panel = panel_of(identical_references(1000, 3));
  const std::vector<Curve> good = {noisy(1000, 1, 0.001), noisy(1000, 2, 0.001), noisy(1000, 3, 0.001)};
  panel.learn_subject(good, AlreadyLearnt::no);
  panel.learn(panel.judge(good).spreads.at("loss"));
  CHECK(panel.whole().subject_varies);
  CHECK(panel.pool().total.dof == 2);
  CHECK_FALSE(panel.pool().deterministic());
  CHECK(panel.judge(good).verdict == Verdict::pass);
  const std::vector<Curve> bad = {noisy(1000, 9, 0.001, 0.018), noisy(1000, 10, 0.001, 0.018)};
  CHECK(panel.judge(bad).verdict == Verdict::fail);
}

TEST_CASE("a candidate equal to a reference passes at once and shows that the subject repeats") {
  const Reference reference = reference_of(identical_references(60, 2));
  const Judgement judgement = judge_one(reference, shifted(60, 0));
  CHECK(judgement.verdict == Verdict::pass);
  CHECK(judgement.reason == "identical");
  CHECK(judgement.delta.value() == 0);
  CHECK(judgement.spreads.at("loss").identical == 1);
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
  const Reference reference = reference_of(references());
  const auto rarely = [](std::int64_t every, double percent) {
    return run({.log = {.every = every}}, {.fault = constant(percent)});
  };
  for (const std::int64_t every : {5, 7, 10}) {
    CHECK(judge_one(reference, rarely(every, 0)).reason != "gaps");
    const Judgement bad = judge_one(reference, rarely(every, 5));
    CHECK(bad.verdict == Verdict::fail);
    CHECK(bad.delta.value() == Approx(0.05).epsilon(0.1));
  }
}

TEST_CASE("steps that are counted from other numbers accuse nobody") {
  const Panel panel = panel_of(references());
  for (const std::int64_t shift : {-1, 1, 10}) {
    Curve counted = run({}), wrong = run({}, {.fault = constant(8)});
    const std::int64_t last = counted.series["loss"].back().step;
    for (Point& point : counted.series["loss"]) point.step += shift;
    for (Point& point : wrong.series["loss"]) point.step += shift;
    CHECK(judged(panel, counted).verdict != Verdict::fail);
    CHECK(judged(panel, wrong).verdict != Verdict::pass);
    std::erase_if(counted.series["loss"],
                  [&](const Point& point) { return point.step > last; });  // cut where the reference ends
    CHECK(judged(panel, counted).verdict != Verdict::fail);
  }
  const Panel smooth = panel_of(identical_references(200, 3));  // where one step makes little of a difference
  const Judgement noted = judged(smooth, curve(200, [](std::int64_t step) { return plain_loss(step + 20) * 1.0; }));
  CHECK(noted.verdict != Verdict::pass);
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
  std::vector<Curve> runs = {score(0.80), score(0.8002), score(0.7998)};
  for (int seed = 0; seed < 3; ++seed) runs[static_cast<std::size_t>(seed)].perturbed = seed;
  const Reference both = prepare_reference({}, runs, {"acc", true}).value();
  const Reference worse = prepare_reference(worse_only, runs, {"acc", true}).value();
  const Judgement lower = judge_one(both, score(0.78));
  CHECK(lower.verdict == Verdict::fail);
  CHECK(lower.delta.value() == Approx(-0.025).epsilon(0.01));
  CHECK(judge_one(both, score(0.82)).verdict == Verdict::fail);
  CHECK(judge_one(worse, score(0.78)).verdict == Verdict::fail);
  CHECK(judge_one(worse, score(0.82)).verdict == Verdict::pass);
}

TEST_CASE("a strict judgement leaves undecided what a search accepts") {
  const Reference reference = reference_of(noisy_references(1000, 5, 0.0015));
  const std::vector<Curve> attempt = {noisy(1000, 50, 0.0015, 0.002)};
  CHECK(judge(reference, attempt, {}).verdict == Verdict::pass);
  CHECK(judge(reference, attempt, {}, strict(reference.accept)).verdict == Verdict::inconclusive);
}

TEST_CASE("further attempts of an undecided run help only where they average something out") {
  configs::Acceptance accept;
  accept.max_repeats = 12;
  const auto three = [](const Training& training, double rounding, const Fault& fault) {
    std::vector<Curve> attempts;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) attempts.push_back(run(training, {rounding, seed, fault}));
    return attempts;
  };
  const auto wobbles = [](std::int64_t step) { return 1 + 0.1 * jitter(5, step); };
  const Judgement same_in_all = panel_of(references(), accept).judge(three({}, 1e-6, wobbles));
  CHECK(same_in_all.verdict == Verdict::inconclusive);
  CHECK_FALSE(same_in_all.repeat_helps);

  const Training coarse{.most_apart = 0.03};
  const Judgement own_in_each = panel_of(one_reference(coarse), accept).judge(three(coarse, 5e-4, from(100, 1)));
  CHECK(own_in_each.verdict == Verdict::inconclusive);
  CHECK(own_in_each.repeat_helps);
}
