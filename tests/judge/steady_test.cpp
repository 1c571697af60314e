// A run that is off by the same from its first step on, where healthy runs that round coarsely fly apart after a few.
#include "tests/catch.hpp"
#include "tests/judge/drifting.hpp"

namespace bisectd::tests {
namespace {

using driver::judge::Judgement;
using driver::judge::Panel;
using driver::judge::Verdict;

/// Fine runs stay together; coarse ones are 0.03 % apart at the first two steps, and then up to 6 %, to either side.
Panel apart_soon(const configs::Acceptance& accept = {}) {
  std::vector<Curve> runs;
  for (int seed = 0; seed < 8; ++seed) {
    const bool coarse = seed >= 5;
    runs.push_back(curve(kSteps, [=](std::int64_t step) {
      const double fine = 1e-7 * (seed - 2), apart = step < 3 ? 3e-4 : 0.06 * std::sin(1.0 + 2.1 * seed + 0.7 * step);
      return plain_loss(step) * (1 + (coarse ? apart : fine));
    }));
    runs.back().perturbed = seed;
  }
  return Panel::seat(accept, {"loss", false}, std::move(runs)).value();
}

/// On a device that rounds in another way than the reference's.
double rounded(std::int64_t step) { return plain_loss(step) * (1 + 3e-6 * jitter(9, step)); }

Judgement judged_with(const std::function<double(std::int64_t)>& off) {
  return judged(apart_soon(), curve(kSteps, [&](std::int64_t step) { return rounded(step) + off(step); }));
}

Judgement judged_times(const std::function<double(std::int64_t)>& factor) {
  return judged_with([&](std::int64_t step) { return plain_loss(step) * (factor(step) - 1); });
}

}  // namespace

TEST_CASE("steadily off: by the same share, or by the same amount, from the first step to the last") {
  const Judgement share = judged_times(constant(1.9)), amount = judged_with([](std::int64_t) { return 0.05; });
  for (const Judgement& judgement : {share, amount}) {
    CHECK(judgement.verdict == Verdict::fail);
    CHECK(judgement.p_bad > 0.95);
    CHECK_THAT(judgement.text, Catch::Matchers::Matches(".*at its first step, which is no rounding.*"));
  }
}

TEST_CASE("steadily off: nobody is condemned by it who is off by something else at each step, or whom rounding explains") {
  const auto wobbling = [](std::int64_t step) { return 1 + 0.03 * std::sin(2.3 * static_cast<double>(step)); };
  const auto late = [](std::int64_t step) { return step < 3 ? 1.0 : 1.019; };
  const auto healed = [](std::int64_t step) { return step < 100 ? 1.019 : 1.0; };
  const auto other_side = [](std::int64_t step) { return step < 100 ? 1.019 : 0.98; };
  CHECK(judged_times(wobbling).verdict != Verdict::fail);  // other dropout masks
  CHECK(judged_times(constant(0.3)).verdict != Verdict::fail);
  CHECK(judged_times(late).verdict != Verdict::fail);
  CHECK(judged_times(healed).verdict != Verdict::fail);
  CHECK(judged_times(other_side).verdict != Verdict::fail);
}

TEST_CASE("steadily off: by the better side only where that counts") {
  configs::Acceptance accept;
  accept.worse_only = true;
  const Curve better = curve(kSteps, [](std::int64_t step) { return rounded(step) * 0.98; });
  CHECK(judged(apart_soon(), better).verdict == Verdict::fail);
  CHECK(judged(apart_soon(accept), better).verdict != Verdict::fail);
}

}  // namespace bisectd::tests
