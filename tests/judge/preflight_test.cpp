#include "driver/judge/preflight.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

Preflight look(const std::vector<Curve>& runs) {
  return preflight(prepare_reference({}, runs, {"loss", false}).value(), {});
}

bool found(const Preflight& result, const std::string& code) {
  return std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& f) { return f.code == code; });
}

Curve printed(int decimals, double scale = 1) {
  const double per_unit = std::pow(10, decimals);
  return curve(200, [=](std::int64_t step) {
    return std::round(scale * (plain_loss(step) + 0.01 * jitter(3, step)) * per_unit) / per_unit;
  });
}

bool decidable(const Preflight& result) { return std::ranges::none_of(result.findings, &Finding::error); }

}  // namespace

TEST_CASE("quiet references decide with one attempt, and nothing is found") {
  const Preflight result = look(noisy_references(1000, 5, 0.0005));
  CHECK(decidable(result));
  CHECK(result.attempts_needed == 1);
  CHECK(result.findings.empty());
  CHECK(result.noise > 0.0001);
}

TEST_CASE("noise that hides the target is said before the run, with options") {
  const Preflight result = look(noisy_references(1000, 5, 0.02));
  CHECK_FALSE(decidable(result));
  REQUIRE(result.findings.front().code == "too-noisy");
  CHECK(result.findings.front().options.size() >= 4);
  CHECK(result.attempts_needed > 3);
}

TEST_CASE("a few references that may only look too noisy are a warning, not a refusal") {
  const Preflight result = look(noisy_references(1000, 5, 0.007));
  CHECK(result.attempts_needed > 3);
  REQUIRE(found(result, "too-noisy"));
  CHECK(decidable(result));
}

TEST_CASE("a log that prints one decimal of a loss of 2 cannot show 0.5 %, four can") {
  CHECK(found(look({printed(1)}), "precision"));
  CHECK_FALSE(found(look({printed(4)}), "precision"));
  CHECK(found(look({printed(2, 0.1)}), "precision"));
}

TEST_CASE("a running median is recognised by its repeated values") {
  Curve median = noisy(400, 1, 0.01);
  Series& series = median.series["loss"];
  for (std::size_t i = 0; i < series.size(); ++i) series[i].value = series[i - i % 3].value;
  CHECK(found(look({median}), "smoothed"));
  CHECK_FALSE(found(look({noisy(400, 1, 0.01)}), "smoothed"));
}

TEST_CASE("one reference, two that differ by chance, few points and an outlier are said") {
  CHECK(found(look({noisy(1000, 1, 0.001)}), "no-moved-runs"));
  CHECK(found(look(noisy_references(1000, 2, 0.001)), "two-references"));
  CHECK(found(look(identical_references(60, 2)), "no-moved-runs"));
  CHECK(look(references()).findings.empty());
  CHECK(found(look(identical_references(20, 2)), "few-points"));
  std::vector<Curve> runs = noisy_references(1000, 5, 0.0002);
  runs.push_back(noisy(1000, 9, 0.0002, 0.05));
  CHECK(found(look(runs), "outlier"));
}

TEST_CASE("reference runs that are left out are said, with why and how many") {
  std::vector<Curve> runs = noisy_references(1000, 5, 0.0005);
  runs[1].series["loss"].resize(600);
  runs[4].series["loss"].resize(500);
  const Preflight result = look(runs);
  REQUIRE(found(result, "left-out"));
  CHECK(decidable(result));
  CHECK(std::ranges::count(result.findings, "2 of 5 reference runs ended early, and are left out", &Finding::text) == 1);
}

TEST_CASE("the printed unit of fixed, scientific and full formats") {
  CHECK(printed_unit(std::vector<double>{2.3451, 10.1234, 2.5}, 2.3) == Approx(1e-4));
  CHECK(printed_unit(std::vector<double>{2.345, 0.01234}, 2.3) == Approx(1e-3));
  CHECK(printed_unit(std::vector<double>{1.0 / 3, 2.0 / 3}, 0.5) == 0);
  CHECK(printed_unit(std::vector<double>{0, 0}, 1) == 0);
  CHECK(printed_unit(std::vector<double>{1200, 3400}, 1200) == Approx(100));
}
