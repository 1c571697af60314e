// A run longer than a trial, compared with itself.
#include "driver/judge/soak.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

constexpr SoakLength kLength{.trial = 100, .soak = 1000};

/// A loss that falls as 1 / sqrt(step), with noise that repeats itself; from `turns` on it is `after` times as large.
Curve falling(std::int64_t steps, std::int64_t turns = 1 << 20, double after = 1, double noise = 0.02) {
  Curve curve;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double ripple = 1 + noise * std::sin(2.4 * static_cast<double>(step * step % 97));
    curve.series["loss"].push_back({step, ripple * (step < turns ? 1 : after) / std::sqrt(static_cast<double>(step))});
  }
  return curve;
}

Judgement judged(const Curve& curve, bool higher_is_better = false, const configs::Acceptance& accept = {}) {
  const MetricRule metric{.name = "loss", .higher_is_better = higher_is_better};
  return judge_soak(std::span(&metric, 1), kLength, accept, curve);
}

}  // namespace

TEST_CASE("a long run that goes on learning passes, and its levels are told") {
  const Judgement judgement = judged(falling(1000));
  CHECK(judgement.verdict == Verdict::pass);
  CHECK_THAT(judgement.text, Catch::Matchers::Contains("runs to step 1000, loss 0.1"));
  CHECK_THAT(judgement.text, Catch::Matchers::Contains("in steps 71 to 100"));
  CHECK_THAT(judgement.text, Catch::Matchers::Contains("in steps 971 to 1000"));
}

TEST_CASE("a long run that loses what it had learnt fails") {
  const Judgement judgement = judged(falling(1000, 900, 6));
  CHECK(judgement.verdict == Verdict::fail);
  CHECK(judgement.reason == "climbs");
  CHECK_THAT(judgement.text, Catch::Matchers::StartsWith("loss climbs: 0.1"));
}

TEST_CASE("a score that falls fails, one that rises does not") {
  const Curve rises_at_last = falling(1000, 900, 6);
  CHECK(judged(rises_at_last, true).verdict == Verdict::pass);
  CHECK(judged(falling(1000), true).text.starts_with("loss falls"));
}

TEST_CASE("what noise or the accepted difference explain is no climb") {
  // In its last steps the loss is 3.4 times smaller than before step 100: 3.7 times as large is 8 % above that.
  CHECK(judged(falling(1000, 500, 3.7, 0.005)).verdict == Verdict::fail);
  CHECK(judged(falling(1000, 500, 3.7, 0.3)).verdict == Verdict::pass);
  CHECK(judged(falling(1000, 500, 3.7, 0.005), false, {.target = 0.05}).verdict == Verdict::pass);
}

TEST_CASE("a loss that goes up and down over an epoch is no climb, and one that leaves that for good is") {
  for (int phase = 0; phase < 20; ++phase) {
    for (const std::int64_t epoch : {50, 130, 300}) {
      Curve curve = falling(1000);
      for (Point& point : curve.series["loss"])
        point.value =
            0.5 + 0.2 * std::sin(2 * M_PI * (static_cast<double>(point.step) / static_cast<double>(epoch) + phase / 20.0));
      CAPTURE(phase, epoch);
      CHECK(judged(curve).verdict == Verdict::pass);
      CHECK(judged(curve, true).verdict == Verdict::pass);
      for (Point& point : curve.series["loss"])
        if (point.step > 600) point.value += point.step < 800 ? 1.4 : 1.1;  // comes down again, by a part
      CHECK(judged(curve).verdict == Verdict::fail);
    }
  }
}

TEST_CASE("a long run that breaks, ends early or overflows fails") {
  Curve broken = falling(1000);
  broken.series["loss"][700].value = NAN;
  CHECK(judged(broken).reason == "nan");
  CHECK(judged(broken).first_bad_step == 701);
  CHECK(judged(falling(600)).reason == "truncated");
  CHECK(judged(falling(600)).verdict == Verdict::inconclusive);
  Curve overflows = falling(1000);
  for (const std::int64_t step : {1, 300, 500, 900})
    overflows.series["loss_scale"].push_back({step, step < 900 ? 65536.0 : 1.0});
  CHECK(judged(overflows).reason == "overflow");
  CHECK(judged(overflows).text == "the loss scale fell to its minimum at step 900");
  overflows.series["loss_scale"] = {{1, 65536.0}, {50, 1.0}, {90, 2.0}, {300, 4.0}};  // within a trial, which passes so
  CHECK(judged(overflows).verdict == Verdict::pass);
}

TEST_CASE("a metric with too few values to tell its level is only required to be there") {
  Curve few;
  few.series["loss"] = {{100, 1.0}, {500, 3.0}, {1000, 9.0}};
  CHECK(judged(few).verdict == Verdict::pass);
  CHECK(judged(few).text == "runs to step 1000");
}

}  // namespace bisectd::driver::judge
