#include "driver/judge/align.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace bisectd::driver::judge;

TEST_CASE("after a restart the value logged last counts, also when steps go back") {
  const Track track = tidy({{1, 10}, {2, 20}, {3, 30}, {2, 21}, {3, 31}, {4, 41}});
  CHECK(track.steps == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(track.values == std::vector<double>{10, 21, 31, 41});
  CHECK(track.resumed);
}

TEST_CASE("common steps of different log intervals") {
  const Track every_two = tidy({{2, 0}, {4, 0}, {6, 0}, {8, 0}, {12, 0}});
  const Track every_three = tidy({{3, 0}, {6, 0}, {9, 0}, {12, 0}});
  CHECK(common_steps(std::vector{every_two, every_three}) == std::vector<std::int64_t>{6, 12});
  CHECK(common_steps({}).empty());
  CHECK(stride(every_three.steps) == 3);
  CHECK(stride({}) == 1);
}

TEST_CASE("identical means the same bits") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(identical(tidy({{1, nan}, {2, 1}}), tidy({{1, nan}, {2, 1}})));
  CHECK_FALSE(identical(tidy({{1, 0.0}}), tidy({{1, -0.0}})));
  CHECK_FALSE(identical(tidy({{1, 0.0}}), tidy({{2, 0.0}})));
}
