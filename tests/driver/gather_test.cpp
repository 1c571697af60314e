// Attempts that began together are waited for together, but never for long.
#include <vector>

#include "../catch.hpp"
#include "driver/trial/attempts.hpp"

using bisectd::driver::AttemptOutcome;
using bisectd::driver::seconds_to_gather;

TEST_CASE("an attempt that began with the one that ended is waited for, three hundredths of its duration at most") {
  AttemptOutcome first;
  first.started_s = 1000;
  first.duration_s = 600;
  CHECK(seconds_to_gather(first, std::vector{1005.0}, 1600) == Approx(18));
  CHECK(seconds_to_gather(first, std::vector{995.0}, 1610) == Approx(8));
  CHECK(seconds_to_gather(first, std::vector{1005.0}, 1618.5) < 0);  // it is slower than it seemed
}

TEST_CASE("nobody waits for an attempt that began at another time") {
  AttemptOutcome first;
  first.started_s = 1000;
  first.duration_s = 600;
  CHECK(seconds_to_gather(first, {}, 1600) <= 0);
  CHECK(seconds_to_gather(first, std::vector{400.0, 1300.0}, 1600) <= 0);
}
