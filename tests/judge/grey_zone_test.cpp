#include "driver/judge/grey_zone.hpp"

#include "tests/catch.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using strategies::Verdict;

namespace {

Comparison measured(double size, double error, bool last_look = true) { return {size, {error, 8}, last_look}; }

const configs::Acceptance kAccept;

}  // namespace

TEST_CASE("within the target and certainly below twice of it passes; beyond and certainly above half of it fails") {
  CHECK(decide(kAccept, measured(0.002, 0.001)) == Verdict::pass);
  CHECK(decide(kAccept, measured(0.002, 0.004)) == Verdict::inconclusive);
  CHECK(decide(kAccept, measured(0.008, 0.001)) == Verdict::fail);
  CHECK(decide(kAccept, measured(0.008, 0.004)) == Verdict::inconclusive);
}

TEST_CASE("a strict judgement proves equivalence") {
  CHECK(decide(strict(kAccept), measured(0.0015, 0.001)) == Verdict::pass);
  CHECK(decide(strict(kAccept), measured(0.004, 0.001)) == Verdict::inconclusive);
  CHECK(decide(strict(kAccept), measured(0.006, 0.001)) == Verdict::inconclusive);
  CHECK(decide(strict(kAccept), measured(0.009, 0.001)) == Verdict::fail);
}

TEST_CASE("an early look wants the estimate clear of the target, unless the noise is negligible") {
  CHECK(decide(kAccept, measured(0.0045, 0.0005)) == Verdict::pass);
  CHECK(decide(kAccept, measured(0.0045, 0.0005, false)) == Verdict::inconclusive);
  CHECK(decide(kAccept, measured(0.0045, 0.00001, false)) == Verdict::pass);
}

TEST_CASE("without a known error nothing is decided") {
  CHECK(decide(kAccept, {.size = 0.2, .error = {}}) == Verdict::inconclusive);
  CHECK(decide(kAccept, {.size = 0, .error = {}}) == Verdict::inconclusive);
}

TEST_CASE("what can be detected grows with the error, and noise that can be decided grows with the attempts") {
  CHECK(detectable(kAccept, measured(0, 0.0001)) == Approx(0.005).epsilon(0.05));
  CHECK(detectable(kAccept, measured(0, 0.004)) > 0.01);
  CHECK(largest_noise(kAccept, 4, 5, 3) > largest_noise(kAccept, 4, 5, 1));
  CHECK(largest_noise(kAccept, 4, 5, 3) == Approx(0.0031).epsilon(0.1));  // the design's table: 0.31 %
}
