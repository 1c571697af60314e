#include "driver/trial/step_time.hpp"

#include "tests/catch.hpp"

using bisectd::driver::step_time_s;
using bisectd::driver::StepSeen;

namespace {

/// A log looked at every 0.2 s; steps of `fast` seconds after `slow_steps` of two seconds each.
std::vector<StepSeen> watched(double fast, int steps, int slow_steps) {
  std::vector<StepSeen> seen;
  for (int poll = 1; poll < 10'000; ++poll) {
    const double now = poll * 0.2, warm_at = slow_steps * 2.0;
    const int step = now < warm_at ? static_cast<int>(now / 2) : slow_steps + static_cast<int>((now - warm_at) / fast);
    if (step > steps) break;
    if (step > 0 && (seen.empty() || step > seen.back().step)) seen.push_back({now, step});
  }
  return seen;
}

}  // namespace

TEST_CASE("a step's time is that of the warm part, however steps and looks fall together") {
  for (const double s : {0.013, 0.05, 0.21, 0.5}) {
    CAPTURE(s);
    CHECK(step_time_s(watched(s, s < 0.1 ? 400 : 100, 10)).value() == Approx(s).epsilon(0.05));
  }
}

TEST_CASE("one hiccup does not count") {
  auto seen = watched(0.05, 400, 0);
  for (std::size_t i = seen.size() * 6 / 10; i < seen.size(); ++i) seen[i].at_s += 60;
  CHECK(step_time_s(seen).value() == Approx(0.05).epsilon(0.05));
}

TEST_CASE("too few sightings say nothing") {
  CHECK_FALSE(step_time_s({}));
  CHECK_FALSE(step_time_s({{0.2, 60}}));
  CHECK_FALSE(step_time_s({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
}
