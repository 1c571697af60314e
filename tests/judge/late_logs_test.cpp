// Logs that begin late, or hold single NaN: what such references do not show must not be taken for known. A real training,
// small enough for many (tests/bench/small_training.hpp).
#include <algorithm>

#include "driver/judge/jury.hpp"
#include "tests/bench/small_training.hpp"
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using strategies::Verdict;

namespace {

constexpr int kLength = 500;
constexpr std::int64_t kEvery = 50;

Curve every(Curve curve) {
  std::erase_if(curve.series["loss"], [](const Point& point) { return point.step % kEvery != 0; });
  return curve;
}

Jury jury_of(const std::vector<Curve>& references) {
  return Jury::seat({}, std::vector<MetricRule>{{"loss", false}}, references).value();
}

}  // namespace

TEST_CASE("several plain logs that begin late condemn no healthy device that rounds coarsely", "[often]") {
  for (std::uint64_t seed = 40000; seed < 40006; ++seed) {
    const bench::Training training(seed, kLength);
    std::vector<Curve> references;
    for (std::uint64_t run = 0; run < 3; ++run)
      references.push_back(every(bench::trained(training, {.make = bench::mix(seed + 77 + run), .size = 3e-7})));
    const Jury jury = jury_of(references);
    for (const double size : {1e-5, 1e-4}) {
      INFO("seed " << seed << ", rounds at " << size);
      const Curve healthy = every(bench::trained(training, {.make = bench::mix(seed + 1), .size = size}));
      CHECK(jury.judge(std::span(&healthy, 1)).verdict != Verdict::fail);
    }
  }
}

TEST_CASE("a single NaN in one reference excuses no run that is lost to NaN") {
  for (const int references : {3, 4, 8}) {
    INFO(references << " references");
    std::vector<Curve> runs = tests::noisy_references(200, references, 0.001);
    runs[1].series["loss"][20].value = std::numeric_limits<double>::quiet_NaN();
    Curve lost = tests::noisy(200, 77, 0.001, 0);
    for (std::size_t i = 100; i < 200; ++i) lost.series["loss"][i].value = std::numeric_limits<double>::quiet_NaN();
    const Judgement judgement = jury_of(runs).judge(std::span(&lost, 1));
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(judgement.reason == "nan");
  }
}
