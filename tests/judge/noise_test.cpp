#include "driver/judge/noise.hpp"

#include <cmath>
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

TEST_CASE("the standard error has a floor and shrinks with attempts and references") {
  CHECK(standard_error({4, 4}, 5, 1, 0).value == Approx(2 * std::sqrt(1.2)));
  CHECK(standard_error({4, 4}, 5, 3, 0).value == Approx(2 * std::sqrt(1.0 / 3 + 0.2)));
  CHECK(standard_error({4, 4}, 1, 1, 9).value == Approx(3 * std::sqrt(2.0)));
}

TEST_CASE("the probability of being beyond the target") {
  CHECK(probability_beyond(0.005, 0.005, {1e-6, 10}, false) == Approx(0.5));
  CHECK(probability_beyond(0.005, -0.02, {1e-3, 10}, false) > 0.999);
  CHECK(probability_beyond(0.005, -0.02, {1e-3, 10}, true) < 0.001);
  CHECK(probability_beyond(0.005, 0.0, {1e-3, 10}, false) < 0.01);
  CHECK(probability_beyond(0.005, 0.0051, {}, false) == 1);
  CHECK(probability_beyond(0.005, 0.0049, {}, false) == 0);
}
