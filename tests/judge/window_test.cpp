#include "driver/judge/window.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/catch.hpp"
#include "tests/judge/training.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;
using namespace bisectd::tests;

namespace {

std::vector<double> white(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

/// Of a variance of one.
std::vector<double> autoregressive(std::size_t count, double rho, unsigned seed) {
  std::vector<double> values = white(count, seed);
  for (std::size_t i = 1; i < count; ++i) values[i] = rho * values[i - 1] + std::sqrt(1 - rho * rho) * values[i];
  return values;
}

std::vector<double> running_mean(const std::vector<double>& values, std::size_t length) {
  std::vector<double> means;
  for (std::size_t i = 0; i + length <= values.size(); ++i)
    means.push_back(std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(i),
                                    values.begin() + static_cast<std::ptrdiff_t>(i + length), 0.0) /
                    static_cast<double>(length));
  return means;
}

std::vector<double> on_a_slope(std::vector<double> values, double slope) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += slope * static_cast<double>(i);
  return values;
}

/// A run that is off by these fractions at each step.
Difference off_by(const Reference& reference, const std::vector<double>& fractions) {
  return difference(reference, curve(static_cast<std::int64_t>(fractions.size()), [&](std::int64_t step) {
                      const auto place = static_cast<std::size_t>(step - 1);
                      return reference.mean[place] + fractions[place] * reference.scale[place];
                    }));
}

std::vector<WindowLevel> windows_of(const Reference& reference, const std::vector<double>& fractions) {
  return window_levels(reference, off_by(reference, fractions), Batches::same);
}

}  // namespace

TEST_CASE("memory: white noise has none, a mean of many steps and a smooth curve have, whatever the slope and bend") {
  for (unsigned seed = 1; seed <= 5; ++seed)
    for (const double slope : {0.0, -0.5}) {
      CAPTURE(seed, slope);
      CHECK(memory(on_a_slope(white(400, seed), slope)) < 0.2);
      CHECK(memory(on_a_slope(running_mean(white(400, seed), 20), slope)) > 0.8);
    }
  for (unsigned seed = 1; seed <= 5; ++seed) {  // the first steps of a training, where the loss falls faster than it wobbles
    std::vector<double> falling = white(60, seed);
    for (std::size_t i = 0; i < falling.size(); ++i) falling[i] += 350 * std::exp(-static_cast<double>(i) / 40);
    CHECK(memory(falling) < 0.6);
  }
  std::vector<double> smooth(200);
  for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] = plain_loss(static_cast<std::int64_t>(i));
  CHECK(memory(smooth) > 0.95);
  CHECK(memory(std::vector<double>(200, 2.0)) > 0.95);  // nothing says that its values are independent
  CHECK(memory(std::vector<double>{1, 2, 1}) > 0.95);
}

TEST_CASE("the error of a window covers its mean as often as it should, whatever the noise remembers") {
  const Reference reference = reference_of(one_reference());
  for (const double rho : {0.0, 0.4, 0.7}) {
    int windows = 0, beyond = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
      std::vector<double> fractions = autoregressive(240, rho, seed);
      for (double& fraction : fractions) fraction *= 0.01;
      for (const WindowLevel& level : windows_of(reference, fractions)) {
        if (level.is_short) continue;
        ++windows;
        beyond += std::abs(level.mean) > 2 * level.error;
      }
    }
    const double share = static_cast<double>(beyond) / windows;  // 0.046 where the error is known
    CAPTURE(rho, share);
    CHECK(share > 0.02);
    CHECK(share < 0.10);
  }
}

TEST_CASE("windows: their lengths, their order, and what they say of a constant difference") {
  const Reference reference = reference_of(one_reference());
  const auto levels = windows_of(reference, std::vector<double>(240, 0.01));
  CHECK(std::ranges::is_sorted(levels, {}, &WindowLevel::to));
  for (const WindowLevel& level : levels) {
    const std::size_t length = level.to - level.from;
    CHECK(level.is_short == (length < 32));
    CHECK(length <= 128);
    CHECK(level.mean == Approx(0.01));
    CHECK(level.error > 0);  // never nothing: the loss's own arithmetic is not exact
    CHECK(level.apart == 0);
  }
  CHECK(std::ranges::count(levels, std::size_t{128}, [](const WindowLevel& level) { return level.to - level.from; }) == 2);
  for (const std::int64_t steps : {3, 4, 7, 9}) {
    const auto few = windows_of(reference_of(one_reference({.steps = steps})),
                                std::vector<double>(static_cast<std::size_t>(steps), 0.01));
    CHECK(few.size() == 1);
    CHECK(std::ranges::none_of(few, &WindowLevel::shows_error));
  }
}

TEST_CASE("windows: a difference that grows on one side does not scatter, one that changes sides does") {
  const Reference reference = reference_of(one_reference());
  std::vector<double> noise = white(64, 1);
  for (double& fraction : noise) fraction *= 0.01;
  const auto error = [&](double start) {
    std::vector<double> fractions = on_a_slope(noise, 0.01);
    for (double& fraction : fractions) fraction += start;
    return windows_of(reference, fractions).back().error;
  };
  CHECK(error(0.1) < 0.005);
  CHECK(error(-0.32) > 0.1);
}

TEST_CASE("windows: a log that prints means, or has no batch noise, shows less of its error") {
  std::vector<double> fractions = white(240, 3);
  for (double& fraction : fractions) fraction = 0.01 * fraction + 0.001;
  double plain = 0, means = 0;
  for (const WindowLevel& level : windows_of(reference_of(one_reference()), fractions)) plain += level.error;
  for (const WindowLevel& level : windows_of(reference_of(one_reference({.log = {.mean = 20}})), fractions))
    means += level.error;
  CHECK(means > 2 * plain);
  const auto shown = [&](const Training& training) {
    const auto levels = windows_of(reference_of(one_reference(training)), fractions);
    return std::ranges::any_of(levels, [](const WindowLevel& level) { return level.shows_error && !level.is_short; });
  };
  CHECK(shown({}));
  CHECK_FALSE(shown({.batch_noise = 0, .most_apart = 0}));
}

TEST_CASE("windows: the error is no smaller than what printed digits hide") {
  const Training printed{.log = {.decimals = 2}};
  for (const WindowLevel& level : windows_of(reference_of(one_reference(printed)), std::vector<double>(240, 0.01))) {
    CHECK(level.printed > 0.01 * 0.01 / 5);  // of a loss of 5
    CHECK(level.error >= level.printed);
  }
}

TEST_CASE("how far moved runs are apart: the largest of the blocks that begin there") {
  for (const std::size_t points : {40U, 48U, 72U, 100U, 240U}) {  // blocks of 4, 6 and 8
    std::vector<std::vector<double>> runs{white(points, 1), white(points, 2)};
    for (std::size_t t = 0; t < points; ++t)
      for (auto& run : runs) run[t] *= static_cast<double>(t + 1);
    const std::size_t length = points < 50 ? 4 : points == 72 ? 6 : 8, half = length / 2;
    std::vector<double> blocks;
    for (std::size_t from = 0; from + length <= points; from += half) {
      double squares = 0;
      for (const auto& run : runs)
        for (std::size_t t = from; t < from + length; ++t) squares += run[t] * run[t] / static_cast<double>(2 * length);
      blocks.push_back(std::sqrt(squares));
    }
    const Apart apart{runs};
    for (std::size_t from = 0; from < points; from += 3)
      for (std::size_t to = from + 1; to <= points; to += 5) {
        double most = 0;
        for (std::size_t block = 0; block < blocks.size(); ++block) {
          if (block >= from / half && block <= (to - 1) / half) most = std::max(most, blocks[block]);
        }
        CAPTURE(points, from, to);
        CHECK(apart.in({from, to}) == Approx(most > 0 ? most : blocks.back()));
      }
  }
  CHECK_FALSE(Apart().known());
  CHECK(Apart().in({0, 5}) == 0);
  CHECK(Apart(std::vector<std::vector<double>>{{0.1, -0.1}}).in({0, 2}) == Approx(0.1));  // fewer than a block
}

TEST_CASE("moved runs tell of windows of a run that saw the same batches, and nothing of one that saw others") {
  const Reference reference = reference_of(references());
  const Difference one = off_by(reference, std::vector<double>(240, 0.01));
  for (const WindowLevel& level : window_levels(reference, one, Batches::same)) CHECK(level.apart > 0);
  for (const WindowLevel& level : window_levels(reference, one, Batches::alike)) CHECK(level.apart > 0);
  for (const WindowLevel& level : window_levels(reference, one, Batches::others)) CHECK(level.apart == 0);
}

TEST_CASE("what two runs saw") {
  const auto batches = [](const Training& one, const Device& device) {
    const Reference reference = reference_of(one_reference());
    return batches_of(reference, difference(reference, run(one, device)));
  };
  CHECK(batches({}, {.rounding = 1e-7}) == Batches::same);
  CHECK(batches({}, {.rounding = 5e-4}) == Batches::same);
  CHECK(batches({}, {.fault = constant(5)}) == Batches::same);
  CHECK(batches({.order = 2}, {}) == Batches::others);
  CHECK(batches({.mask_noise = 0.025}, {}) == Batches::alike);
  CHECK(batches_of(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2, 3}) == Batches::others);  // too few to tell
}
