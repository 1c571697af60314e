// Trainings that are not as one would wish: a healthy device is never accused in them, and a clear sentence says what is
// odd.
#include <algorithm>

#include "driver/judge/panel.hpp"
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

/// The healthy ensemble of drifting.hpp, its losses changed by `shape` (of loss and step).
using Shape = std::function<double(double, std::int64_t)>;

Curve shaped(Curve curve, const Shape& shape) {
  for (Point& point : curve.series["loss"]) point.value = shape(point.value, point.step);
  return curve;
}

Panel panel_in(const Shape& shape) {
  std::vector<Curve> runs = references();
  for (Curve& one : runs) one = shaped(std::move(one), shape);
  return panel_of(std::move(runs));
}

/// Verdicts on devices that are healthy: round finely, to either side, or coarsely.
std::vector<Verdict> on_healthy(const Panel& panel, const Shape& shape) {
  std::vector<Verdict> verdicts;
  for (const double side : {-1.4, -0.5, 0.7, 1.3}) {
    verdicts.push_back(judged(panel, shaped(run(1e-7, side), shape)).verdict);
    verdicts.push_back(judged(panel, shaped(run(1e-6, side), shape)).verdict);
    verdicts.push_back(judged(panel, shaped(run(4e-4, side / 2), shape)).verdict);
  }
  return verdicts;
}

bool none_fails(const std::vector<Verdict>& verdicts) {
  return std::ranges::none_of(verdicts, [](Verdict verdict) { return verdict == Verdict::fail; });
}

double as_it_is(double loss, std::int64_t) { return loss; }

}  // namespace

TEST_CASE("odd worlds: one reference curve condemns no drift and says that it is not known") {
  const Panel panel = panel_of({run(1e-7, 0.1)});
  CHECK(none_fails(on_healthy(panel, as_it_is)));
  const Judgement judgement = judged(panel, run(1e-7, -1.5));
  CHECK(judgement.verdict == Verdict::inconclusive);
  CHECK(judgement.text.find("known") != std::string::npos);
}

TEST_CASE("odd worlds: two references measure the drift badly, and condemn no healthy device") {
  std::vector<Curve> two = {run(1e-7, 0.2), run(1e-7, -0.9)};
  two[1].perturbed = 1;
  CHECK(none_fails(on_healthy(panel_of(two), as_it_is)));
}

TEST_CASE("odd worlds: a reference that is shorter than the others is left out while enough are left") {
  std::vector<Curve> runs = references();
  std::erase_if(runs[3].series["loss"], [](const Point& point) { return point.step > 150; });
  const Panel panel = panel_of(std::move(runs));
  CHECK(panel.whole().last_step() == kSteps);
  CHECK(panel.whole().given == 7);
  CHECK(none_fails(on_healthy(panel, as_it_is)));
}

TEST_CASE("odd worlds: a loss that goes to nearly nothing, where healthy runs are tens of percent apart") {
  const Shape vanishing = [](double loss, std::int64_t step) {
    const double healthy = plain_loss(step);
    const double apart = (loss / healthy - 1) * std::min(30.0, std::exp(0.02 * static_cast<double>(step)));
    return 3 * std::exp(-0.035 * static_cast<double>(step)) * (1 + apart);
  };
  const Panel panel = panel_in(vanishing);
  CHECK(none_fails(on_healthy(panel, vanishing)));
  const Shape wrong = [&](double loss, std::int64_t step) { return vanishing(loss, step) * (step > 2 ? 1.03 : 1.0); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a negative loss") {
  const Shape negative = [](double loss, std::int64_t) { return loss - 12; };
  const Panel panel = panel_in(negative);
  CHECK(none_fails(on_healthy(panel, negative)));
  const Shape wrong = [&](double loss, std::int64_t step) { return negative(loss, step) * (step > 2 ? 0.97 : 1.0); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a training that diverges on both sides") {
  const Shape diverging = [](double loss, std::int64_t step) { return step > 160 ? kNan : loss; };
  CHECK(none_fails(on_healthy(panel_in(diverging), diverging)));
}

TEST_CASE("odd worlds: a plateau that is constant to the printed digits") {
  const Shape plateau = [](double loss, std::int64_t step) { return std::round((step < 40 ? loss : 2.0) * 1e4) / 1e4; };
  const Panel panel = panel_in(plateau);
  CHECK(none_fails(on_healthy(panel, plateau)));
}

TEST_CASE("odd worlds: four printed digits") {
  const Shape printed = [](double loss, std::int64_t) { return std::round(loss * 1e4) / 1e4; };
  const Panel panel = panel_in(printed);
  CHECK(none_fails(on_healthy(panel, printed)));
  const Shape wrong = [&](double loss, std::int64_t step) { return printed(loss * (step > 2 ? 1.02 : 1.0), step); };
  CHECK(judged(panel, shaped(run(1e-7, 0.5), wrong)).verdict == Verdict::fail);
}

TEST_CASE("odd worlds: a warm-up of half of the run, in which nothing drifts") {
  const Shape warm_up = [](double loss, std::int64_t step) {
    return step <= 100 ? plain_loss(1) * (1 + (loss / plain_loss(step) - 1) * 1e-3) : loss;
  };
  CHECK(none_fails(on_healthy(panel_in(warm_up), warm_up)));
}

TEST_CASE("odd worlds: other dropout masks on the subject's side put it apart from the first step on") {
  Panel panel = panel_of(references());
  const auto masked = [](std::uint64_t seed) { return noisy(kSteps, seed, 0.01); };
  panel.learn_healthy_spread(std::vector<Curve>{masked(1), masked(2)});
  for (std::uint64_t seed = 3; seed < 23; seed += 2)
    CHECK(panel.judge(std::vector<Curve>{masked(seed), masked(seed + 1)}).verdict != Verdict::fail);
}

TEST_CASE(
    "odd worlds: a fault that shows only after step 150 passes quietly where healthy runs are further apart, or fails "
    "late") {
  const Panel panel = panel_of(references());
  const auto late = [](double factor) { return [=](std::int64_t step) { return step > 150 ? factor : 1.0; }; };
  CHECK(judged(panel, run(1e-7, 0.3, late(1.01))).verdict != Verdict::fail);
  CHECK(judged(panel, run(1e-7, 0.3, late(1.5))).reason == "late");
}
