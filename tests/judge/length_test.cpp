#include "driver/judge/length.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "driver/judge/comparison.hpp"
#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;

namespace {

Curve falling(std::int64_t first, std::int64_t last, std::int64_t every = 1) {
  Curve curve;
  for (std::int64_t step = first; step <= last; step += every)
    curve.series["loss"].push_back({step, 3.0 / std::sqrt(static_cast<double>(step + 1))});
  return curve;
}

bool is_short(const Curve& run, std::int64_t steps) { return too_short(std::span(&run, 1), "loss", steps).has_value(); }

ComparisonTable compared(const Curve& reference, const Curve& candidate) {
  const NamedCurve trusted{"gpu", reference}, judged{"npu", candidate};
  const MetricRule rule{"loss", false};
  return *compare({}, std::span(&trusted, 1), std::span(&judged, 1), std::span(&rule, 1));
}

}  // namespace

TEST_CASE("a reference that ends before the steps of the run is too short") {
  CHECK(is_short(falling(1, 50), 100));
  CHECK(is_short(falling(1, 89), 100));
  CHECK_FALSE(is_short(falling(1, 91), 100));  // as a subject that ends there is whole
  CHECK_FALSE(is_short(falling(1, 100), 100));
  CHECK_FALSE(is_short(falling(1, 200), 100));
}

TEST_CASE("neither numbering from 0 nor a coarse log makes a reference too short") {
  CHECK_FALSE(is_short(falling(0, 9), 10));
  CHECK_FALSE(is_short(falling(30, 90, 30), 119));
  CHECK(is_short(falling(30, 90, 30), 121));
  CHECK_FALSE(is_short({}, 100));  // other rules refuse it
  const Curve run = falling(1, 50);
  CHECK_FALSE(too_short(std::span(&run, 1), "loss", std::nullopt));
}

TEST_CASE("one reference that is too short is enough: only common steps are compared") {
  const std::array runs{falling(1, 100), falling(1, 40)};
  CHECK(too_short(runs, "loss", 100)->code == "reference-too-short");
}

TEST_CASE("what a run does behind the end of its reference is no pass of it") {
  Curve candidate = falling(1, 100);
  ComparisonTable table = compared(falling(1, 50), candidate);
  CHECK(table.verdict == strategies::Verdict::pass);
  REQUIRE_FALSE(table.rows.front().judgement.notes.empty());
  CHECK(table.rows.front().judgement.notes.back() ==
        "loss goes on to step 100, and the reference ends at step 50: what came after that was compared with nothing");

  candidate.series["loss"][60].value = std::numeric_limits<double>::quiet_NaN();
  table = compared(falling(1, 50), candidate);
  CHECK(table.verdict == strategies::Verdict::inconclusive);
  CHECK(table.rows.front().judgement.reason == "reference-too-short");

  for (std::size_t i = 30; i < 60; ++i)
    candidate.series["loss"][i] = candidate.series["loss"][60];  // what fails before fails
  for (std::size_t i = 30; i < 60; ++i) candidate.series["loss"][i].step = static_cast<std::int64_t>(i) + 1;
  CHECK(compared(falling(1, 50), candidate).verdict == strategies::Verdict::fail);

  CHECK(compared(falling(1, 95), falling(1, 100)).rows.front().judgement.notes ==
        compared(falling(1, 100), falling(1, 100)).rows.front().judgement.notes);
}
