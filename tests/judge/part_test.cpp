// The end of a part that is looked at is not the end of the run.
#include "driver/judge/jury.hpp"
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

/// A healthy run that is off at these steps only.
Curve off_at(std::int64_t from, std::int64_t to, double factor) {
  return run(1e-7, 0.3, [=](std::int64_t step) { return step >= from && step <= to ? factor : 1.0; });
}

bool is_condemned_as_it_runs(const Jury& jury, const Curve& whole) {
  AttemptWatch watch = jury.watch();
  Curve so_far;
  for (const Point& point : whole.series.at("loss")) {
    so_far.series["loss"].push_back(point);
    if (watch.look(so_far)) return true;
  }
  return false;
}

/// Healthy runs that are as far apart from the second step on as they ever may be, and further from step 120 on.
Curve never_close(double size, double side, double fault = 0) {
  return curve(kSteps, [=](std::int64_t step) {
    const double apart = step == 1 ? size : 0.0018 * std::max(1.0, 1 + 0.2 * static_cast<double>(step - 120));
    return plain_loss(step) * (1 + side * apart) * (step > 130 ? 1 + fault : 1);
  });
}

}  // namespace

TEST_CASE("one NaN, or two steps far off, fail a run wherever they lie as little as anywhere else") {
  const Panel panel = panel_of(references());
  const Jury jury = *Jury::seat({}, std::vector<MetricRule>{{"loss", false}}, references());
  for (std::int64_t step = 2; step < kSteps - 1; ++step) {
    CAPTURE(step);
    const Curve one = off_at(step, step, kNan), two = off_at(step, step + 1, 1.1);
    CHECK(judged(panel, one).verdict != Verdict::fail);
    CHECK(judged(panel, two).verdict != Verdict::fail);
    CHECK_FALSE(is_condemned_as_it_runs(jury, one));
  }
  CHECK(judged(panel, off_at(kSteps, kSteps, kNan)).reason == "nan");
  CHECK(judged(panel, off_at(60, 62, kNan)).verdict == Verdict::fail);
  CHECK(is_condemned_as_it_runs(jury, off_at(60, 62, kNan)));
}

TEST_CASE("a run is judged by its end where a part is comparable for coarse devices alone") {
  std::vector<Curve> runs = {never_close(1e-7, 0.2),  never_close(1e-7, -1.3), never_close(1e-7, 0.9),
                             never_close(1e-7, 0.4),  never_close(1e-7, -0.7), never_close(4e-4, 1.0),
                             never_close(4e-4, -0.8), never_close(4e-4, 0.5)};
  for (std::size_t seed = 0; seed < runs.size(); ++seed) runs[seed].perturbed = static_cast<int>(seed);
  const Panel panel = panel_of(runs);
  REQUIRE_FALSE(panel.comparable_until());
  REQUIRE(panel.healthy()->comparable_until(0.005, 1));
  CHECK(judged(panel, never_close(4e-4, 0.3)).verdict == Verdict::pass);
  CHECK(judged(panel, never_close(4e-4, 0.3, 0.3)).verdict == Verdict::fail);
}
