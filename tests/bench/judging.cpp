// What judging one run takes, by the length of its curve: the time of the processor beside that of sorting the same values
// once, which grows a little faster than the length does; judging must not grow faster than that. Three kinds of references:
// five that differ by chance, one alone, and three of which two were moved by a thousandth.
// Arguments: [longest = 100000]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>

#include "driver/judge/jury.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;

namespace {

/// A loss that falls from 7 to 2, with noise of 1 % that all runs share, and `own` of its own at each step.
Curve curve_of(std::int64_t steps, unsigned seed, double own) {
  std::mt19937 batches(1), random(seed);
  std::normal_distribution<double> noise, wobble;
  Curve curve;
  Series& loss = curve.series["loss"];
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    loss.push_back({step, (2 + 5 / (1 + 20 * share)) * (1 + 0.01 * noise(batches)) * (1 + own * wobble(random))});
  }
  return curve;
}

std::vector<Curve> references(std::int64_t steps, int count, bool moved) {
  std::vector<Curve> runs;
  for (int i = 0; i < count; ++i) {
    runs.push_back(curve_of(steps, static_cast<unsigned>(i), moved && i == 0 ? 1e-6 : 1e-3));
    runs.back().perturbed = moved ? i : 0;
  }
  return runs;
}

template <class Action>
double milliseconds(Action action) {
  const std::clock_t start = std::clock();
  action();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double sorting(const std::vector<Curve>& runs) {
  std::vector<double> values;
  for (const Curve& run : runs)
    for (const Point& point : run.series.at("loss")) values.push_back(point.value);
  return milliseconds([&] { std::ranges::sort(values); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t longest = argc > 1 ? std::atoll(argv[1]) : 100'000;
  fmt::print("{:24} {:>8} {:>10} {:>10} {:>10} {:>10}\n", "references", "steps", "seat ms", "judge ms", "sort ms",
             "judge/sort");
  for (const auto& [label, count, moved] :
       {std::tuple("five, by chance", 5, false), std::tuple("one", 1, false), std::tuple("three, two moved", 3, true)})
    for (std::int64_t steps = longest / 100; steps <= longest; steps *= 10) {
      const std::vector<Curve> runs = references(steps, count, moved);
      const Curve candidate = curve_of(steps, 99, 1e-3);
      const double sorted = sorting(runs);
      tl::expected<Jury, Problem> jury = tl::unexpected(Problem{});
      const double seated = milliseconds([&] { jury = Jury::seat({}, std::vector<MetricRule>{{"loss", false}}, runs); });
      if (!jury) return fmt::print("{}: {}\n", label, jury.error().message), 1;
      const double judged = milliseconds([&] { (void)jury->judge(std::span(&candidate, 1)); });
      fmt::print("{:24} {:>8} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.2f}\n", label, steps, seated, judged, sorted,
                 judged / sorted);
    }
}
