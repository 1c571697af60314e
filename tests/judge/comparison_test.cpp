#include "driver/judge/comparison.hpp"

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;
using strategies::Verdict;

namespace {

std::vector<NamedCurve> named(const std::vector<Curve>& curves) {
  std::vector<NamedCurve> result;
  for (const Curve& one : curves) result.push_back({"run " + std::to_string(result.size() + 1), one});
  return result;
}

}  // namespace

TEST_CASE("each candidate is judged on its own; the worst decides") {
  const auto references = named(noisy_references(1000, 5, 0.0005));
  const auto candidates = named({noisy(1000, 50, 0.0005), noisy(1000, 51, 0.0005, 0.015)});
  const std::vector<MetricRule> metrics = {{"loss", false}};
  const auto table = compare({}, references, candidates, metrics);
  REQUIRE(table);
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[0].judgement.verdict == Verdict::pass);
  CHECK(table->rows[1].judgement.verdict == Verdict::fail);
  CHECK(table->rows[1].candidate == "run 2");
  CHECK(table->verdict == Verdict::fail);
  CHECK_FALSE(table->rows[0].judgement.repeat_helps);
}

TEST_CASE("one log against one log is judged by its own windows, and says what would help") {
  const std::vector<MetricRule> metrics = {kLoss};
  const auto table = compare({}, named({run({})}), named({run({}, {.seed = 2, .fault = constant(3)})}), metrics);
  REQUIRE(table);
  CHECK(table->verdict == Verdict::fail);
  CHECK(table->findings.front().code == "no-moved-runs");
  REQUIRE(table->rows[0].course.size() == kCourse);
  for (const double mean : table->rows[0].course) CHECK(mean == Approx(0.03).margin(0.008));
  CHECK(compare({}, named({run({})}), named({run({}, {.seed = 2})}), metrics)->verdict == Verdict::pass);
}

TEST_CASE("logs of which nobody knows how they were made: moved ones are found out") {
  std::vector<Curve> logs = references();
  for (Curve& log : logs) log.perturbed.reset();
  Curve bad = run({.log = {.every = 10}}, {.fault = from(20, 3)});
  bad.perturbed.reset();
  const std::vector<MetricRule> metrics = {kLoss};
  const auto table = compare({}, named(logs), named({bad}), metrics);
  CHECK(table->findings.empty());
  CHECK(table->verdict == Verdict::fail);
  CHECK(compare({}, named({logs[0]}), named({bad}), metrics)->verdict == Verdict::inconclusive);
}

TEST_CASE("a log that prints few digits is judged by what they show") {
  const auto printed = [](double bias) {
    return curve(300, [=](std::int64_t step) { return std::round(10 * plain_loss(step) * (1 + bias)) / 10; });
  };
  const std::vector<MetricRule> metrics = {{"loss", false}};
  const auto verdict_of = [&](double bias) {
    return compare({}, named({printed(0), printed(0.0001)}), named({printed(bias)}), metrics)->verdict;
  };
  CHECK(verdict_of(0) == Verdict::pass);  // its values change from digit to digit just where those of the reference do
  CHECK(verdict_of(0.0005) != Verdict::fail);
  CHECK(verdict_of(0.008) != Verdict::pass);
  CHECK(verdict_of(0.05) == Verdict::fail);
  const Curve flat = curve(300, [](std::int64_t) { return 2.8; });
  CHECK(compare({}, named({flat, flat}), named({flat}), metrics)->verdict == Verdict::inconclusive);
  Curve broken = printed(0);
  for (int i = 1; i <= 20; ++i)
    broken.series["loss"][broken.series["loss"].size() - static_cast<std::size_t>(i)].value = kNan;
  CHECK(compare({}, named({printed(0), printed(0.0001)}), named({broken}), metrics)->verdict == Verdict::fail);
}

TEST_CASE("a metric that one side lacks is a problem or unresolved, never a pass") {
  const auto runs = named(identical_references(100, 2));
  const std::vector<MetricRule> both = {{"loss", false}, {"acc", true}};
  CHECK(compare({}, runs, runs, both).error().code == "no-curve");
  const auto other = named({curve_of({{1, 0.5}}, "acc")});
  CHECK(compare({}, runs, other, std::vector<MetricRule>{{"loss", false}})->verdict == Verdict::unresolved);
  CHECK(compare({}, runs, {}, both).error().code == "no-candidate");
  CHECK(compare({}, runs, runs, {}).error().code == "no-metric");
  CHECK(compare({}, {}, runs, both).error().code == "no-reference");
}
