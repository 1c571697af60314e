#include "driver/judge/level.hpp"

#include <algorithm>
#include <cmath>

#include "tests/catch.hpp"

using namespace bisectd::driver::judge;

TEST_CASE("no sum overflows near 1e308") {
  std::vector<double> values(1000, 1.7e308);
  CHECK(trimmed_mean(values, 0.1) == Approx(1.7e308));
  CHECK(relative(1.7e308, -1.7e308, 1.7e308) == Approx(2));
  CHECK(relative(1.7e308, 0, 1e-300) == kLargestDifference);
  CHECK(relative(-1.7e308, 0, 1e-300) == -kLargestDifference);
}

TEST_CASE("the scale of a loss that nears zero or changes sign stays away from zero") {
  std::vector<double> mean;
  for (int t = 0; t <= 100; ++t) mean.push_back(1 - 0.02 * t);  // 1 down to -1
  const std::vector<double> scale = scale_of(mean, 0);
  CHECK(*std::min_element(scale.begin(), scale.end()) >= 0.1 * 0.5);
  CHECK(scale_of(mean, 1.0)[50] == 1.0);
  const std::vector<double> zeros(10, 0.0);
  CHECK(scale_of(zeros, 0).front() == 0);
  std::vector<double> mostly_zero(100, 0.0);
  mostly_zero[3] = 5;
  CHECK(scale_of(mostly_zero, 0).back() > 0);
}
