// What judging one run takes, by the length of its curve: the time of the processor beside that of sorting the same values
// once, which grows a little faster than the length does; judging must not grow faster than that. Three kinds of references:
// five that differ by chance, one alone, and eight of which some were perturbed as float32 and some as float16 rounds.
// Arguments: [longest = 100000]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>

#include "driver/judge/jury.hpp"

using namespace bisectd;
using namespace bisectd::driver::judge;

namespace {

/// A loss that falls from 7 to 2. With `drift` 0 it has noise of 0.1 % at each step; else it ends off by that fraction.
Curve curve_of(std::int64_t steps, unsigned seed, double drift, int perturbed = 0) {
  const double size = drift == 0 ? 1e-3 : 0;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise;
  Curve curve{.perturbed = perturbed};
  Series& loss = curve.series["loss"];
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    loss.push_back({step, (2 + 5 / (1 + 20 * share)) * (1 + size * noise(random)) * (1 + drift * std::pow(1e3, share - 1))});
  }
  return curve;
}

std::vector<Curve> references(std::int64_t steps, int count, bool perturbed) {
  std::vector<Curve> runs;
  for (int i = 0; i < count; ++i) {
    const double size = i == 0 ? 1e-7 : is_coarse(i) ? 1e-3 : 1e-6;
    runs.push_back(perturbed ? curve_of(steps, 0, size * (i % 2 ? 1 : -1.3), i)
                             : curve_of(steps, static_cast<unsigned>(i), 0));
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
  for (const auto& [label, count, perturbed] :
       {std::tuple("five, noisy", 5, false), std::tuple("one", 1, false), std::tuple("eight, perturbed", 8, true)})
    for (std::int64_t steps = longest / 100; steps <= longest; steps *= 10) {
      const std::vector<Curve> runs = references(steps, count, perturbed);
      const Curve candidate = perturbed ? curve_of(steps, 0, 5e-7) : curve_of(steps, 99, 0);
      const double sorted = sorting(runs);
      tl::expected<Jury, Problem> jury = tl::unexpected(Problem{});
      const double seated = milliseconds([&] { jury = Jury::seat({}, std::vector<MetricRule>{{"loss", false}}, runs); });
      if (!jury) return fmt::print("{}: {}\n", label, jury.error().message), 1;
      const double judged = milliseconds([&] { (void)jury->judge(std::span(&candidate, 1)); });
      fmt::print("{:24} {:>8} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.2f}\n", label, steps, seated, judged, sorted,
                 judged / sorted);
    }
}
