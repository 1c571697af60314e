#include "driver/judge/noise.hpp"

#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tests/catch.hpp"

using namespace bisectd::driver::judge;

TEST_CASE("quantiles of Student's t are those of the tables") {
  CHECK(t_quantile(0.04 / 3, 4) == Approx(3.42).margin(0.005));
  CHECK(t_quantile(0.04 / 3, 6) == Approx(2.92).margin(0.005));
  CHECK(t_quantile(0.04 / 3, 12) == Approx(2.52).margin(0.005));
  CHECK(t_quantile(0.01 / 22, 4) == Approx(8.83).margin(0.005));
  CHECK(t_quantile(0.01 / 22, 12) == Approx(4.37).margin(0.005));
}

TEST_CASE("two windows count twice when runs wander and once when they keep their offset") {
  const std::vector<double> last = {-2, -1, 0, 1, 2};
  const std::vector<double> unrelated = {1, -2, 2, -2, 1};
  CHECK(variance_of(spread_of(last)).value == Approx(2.5));
  CHECK(variance_of(spread_of(last)).dof == Approx(4));
  CHECK(variance_of(spread_of(last, last)).dof == Approx(4));
  CHECK(variance_of(spread_of(last, unrelated)).dof == Approx(8));
  CHECK(variance_of(spread_of(last, unrelated)).value == Approx((2.5 + 3.5) / 2));
  CHECK(variance_of(Spread{}).dof == 0);
  CHECK(spread_of(std::vector<double>{1}).dof == 0);
}

TEST_CASE("spreads of several configurations add up") {
  NoisePool pool;
  CHECK_FALSE(pool.deterministic());
  Spread repeat;
  repeat.identical = 2;
  pool.add(repeat);
  CHECK(pool.deterministic());
  pool.add(spread_of(std::vector<double>{1, 3}));
  CHECK_FALSE(pool.deterministic());
  pool.add(spread_of(std::vector<double>{10, 14}));
  CHECK(variance_of(pool.total).value == Approx((2.0 + 8.0) / 2));
  CHECK(variance_of(pool.total).dof == Approx(2));
}

TEST_CASE("the standard error has a floor and shrinks with attempts and references") {
  CHECK(standard_error({4, 4}, 5, 1, 0).value == Approx(2 * std::sqrt(1.2)));
  CHECK(standard_error({4, 4}, 5, 3, 0).value == Approx(2 * std::sqrt(1.0 / 3 + 0.2)));
  CHECK(standard_error({4, 4}, 1, 1, 9).value == Approx(3 * std::sqrt(2.0)));
}

TEST_CASE("batch means see the wobble of one run") {
  CHECK(within_run(std::vector<double>{1, 2, 3}).dof == 0);
  const std::vector<double> flat(40, 0.25);
  CHECK(within_run(flat).value == Approx(0));
  CHECK(within_run(flat).dof == 9);
  const std::vector<double> steps = {0, 0, 1, 1};
  CHECK(within_run(steps).value == Approx(0.5 / 2));
}

TEST_CASE("the probability of being beyond the target") {
  CHECK(probability_beyond(0.005, 0.005, {1e-6, 10}, false) == Approx(0.5));
  CHECK(probability_beyond(0.005, -0.02, {1e-3, 10}, false) > 0.999);
  CHECK(probability_beyond(0.005, -0.02, {1e-3, 10}, true) < 0.001);
  CHECK(probability_beyond(0.005, 0.0, {1e-3, 10}, false) < 0.01);
  CHECK(probability_beyond(0.005, 0.0051, {}, false) == 1);
  CHECK(probability_beyond(0.005, 0.0049, {}, false) == 0);
}

// Drawn from the prior: half of all runs healthy, the harm of the others log-uniform, to either side.
TEST_CASE("harm that is said to be there with some probability is there as often as that") {
  constexpr double kTarget = 0.005;
  constexpr int kRuns = 4'000;
  const auto [dof, error] = GENERATE(std::pair{3.0, 0.002}, std::pair{7.0, 0.005}, std::pair{30.0, 0.0005});
  std::mt19937_64 generator(17);
  std::student_t_distribution<double> noise(dof);
  std::uniform_real_distribution<double> unit;
  std::array<double, 5> said{}, bad{}, runs{};
  for (int run = 0; run < kRuns; ++run) {
    const double harm = unit(generator) < 0.5 ? 0 : kTarget * std::exp2(-4 + 10 * unit(generator));
    const double difference = (unit(generator) < 0.5 ? -harm : harm) + error * noise(generator);
    const double p = probability_of_harm(kTarget, difference, {error, dof}, {error}, false);
    const auto bin = std::min<std::size_t>(4, static_cast<std::size_t>(5 * p));
    said[bin] += p;
    bad[bin] += harm > kTarget;
    ++runs[bin];
  }
  for (std::size_t bin = 0; bin < runs.size(); ++bin) {
    if (runs[bin] < 50) continue;
    CAPTURE(bin, runs[bin]);
    CHECK(bad[bin] / runs[bin] == Approx(said[bin] / runs[bin]).margin(3 * std::sqrt(0.25 / runs[bin]) + 0.02));
  }
}

TEST_CASE("a probability knows that some healthy devices are further off than others") {
  constexpr double kTarget = 0.005;
  constexpr int kRuns = 20'000;
  const HealthyError healthy{.usual = 0.001, .larger = 0.004, .seldom = 0.2};
  std::mt19937_64 generator(5);
  std::student_t_distribution<double> noise(7);
  std::uniform_real_distribution<double> unit;
  double said = 0, bad = 0, runs = 0;
  for (int run = 0; run < kRuns; ++run) {
    const bool is_healthy = unit(generator) < 0.5;
    const double harm = is_healthy ? 0 : kTarget * std::exp2(-4 + 10 * unit(generator));
    const double error = is_healthy && unit(generator) < healthy.seldom ? healthy.larger : healthy.usual;
    const double difference = (unit(generator) < 0.5 ? -harm : harm) + error * noise(generator);
    if (std::abs(difference) < 0.006 || std::abs(difference) > 0.02) continue;  // where the two differ
    said += probability_of_harm(kTarget, difference, {healthy.usual, 7}, healthy, false);
    bad += harm > kTarget;
    ++runs;
  }
  CHECK(runs > 500);
  CHECK(bad / runs == Approx(said / runs).margin(0.02));
  const double without = probability_of_harm(kTarget, 0.01, {healthy.usual, 7}, {healthy.usual}, false);
  CHECK(without > 0.99);
  CHECK(probability_of_harm(kTarget, 0.01, {healthy.usual, 7}, healthy, false) < without - 0.02);
}

TEST_CASE("a run that wobbles more than healthy ones is not the healthier for it") {
  const HealthyError healthy{.usual = 0.0002, .larger = 0.0006, .seldom = 0.03};
  CHECK(probability_of_harm(0.005, 0.21, {0.054, 7}, healthy, false) > 0.9);
  CHECK(probability_of_harm(0.005, 0.21, {0.054, 7}, {0.054}, false) < 0.85);
}

TEST_CASE("a larger difference is the more probably harm, and a small error decides") {
  for (const double error : {1e-5, 1e-3, 5e-3}) {
    double before = 0;
    for (double difference = 0; difference < 0.1; difference += 2.5e-4) {
      const double p = probability_of_harm(0.005, difference, {error, 7}, {error}, false);
      CAPTURE(error, difference);
      CHECK(p >= before - 1e-9);
      CHECK(p == Approx(probability_of_harm(0.005, -difference, {error, 7}, {error}, false)));
      before = p;
    }
    CHECK(before > 0.8);
  }
  CHECK(probability_of_harm(0.005, 0.0052, {1e-5, 7}, {1e-5}, false) > 0.999);
  CHECK(probability_of_harm(0.005, 5.0, {1e-5, 7}, {1e-5}, false) > 0.999);
  CHECK(probability_of_harm(0.005, 0.0048, {1e-5, 7}, {1e-5}, false) < 0.001);
}
