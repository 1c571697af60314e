// See window.hpp.
#include "driver/judge/window.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "driver/judge/level.hpp"
#include "driver/judge/preflight.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::size_t kLengths[] = {8, 12, 16, 24, 32, 48, 64, 96, 128};
constexpr std::size_t kFewest = 16;      ///< below this a window's error is always too uncertain
constexpr std::size_t kShort = 8;        ///< of a shorter log, and of the first steps if they are fewer, all
constexpr std::size_t kLookedAt = 4;     ///< values that show an error
constexpr std::size_t kMemorySpan = 64;  ///< values of the reference, at least, from which its memory is read
constexpr double kMostMemory = 0.98;
/// Memory up to which a slope is a fault's, and not what the log remembers: at 0.2 two more of 82 runs of means with harm
/// below 1/4 fail, at 0 six fewer of 58 runs of 60 steps with harm of 2 to 8 (judged_devices.py).
constexpr double kNoMemory = 0.1;
constexpr double kIndependent = 8,
                 kIndependentShort = 2;  ///< values below which a window says nothing of its error (mend R)
constexpr double kLeastError = 2e-5;     ///< what the loss's own arithmetic moves a mean by

/// How much the line through the values rises from one to the next, where it stays on one side of nothing, and else 0.
double slope_of(std::span<const double> values, double mean) {
  const auto n = static_cast<double>(values.size());
  const double middle = (n - 1) / 2;
  double along = 0;
  for (std::size_t i = 0; i < values.size(); ++i) along += (static_cast<double>(i) - middle) * values[i];
  const double slope = 12 * along / (n * (n * n - 1));
  return std::abs(slope) * middle < std::abs(mean) ? slope : 0;
}

/// How the mean of a window is uncertain.
struct Error {
  double value = 0, independent = 0;
};

/// By an AR(1) process around the line of the window, for a fault that grows is no scatter; Kendall's correction for the
/// bias of a short window. `log_memory`: of the reference there.
Error error_of(std::span<const double> values, double mean, double log_memory) {
  if (values.size() < kLookedAt) return {std::abs(mean), 0};
  const auto n = static_cast<double>(values.size());
  const bool may_lean = log_memory <= kNoMemory && values.size() >= kFewest;
  const double slope = may_lean ? slope_of(values, mean) : 0, fitted = slope == 0 ? 1 : 2;
  double squares = 0, products = 0, before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rest = values[i] - mean - slope * (static_cast<double>(i) - (n - 1) / 2);
    squares += rest * rest;
    products += rest * std::exchange(before, rest);
  }
  const double lag = squares > 0 ? products / squares : 0;
  const double rho = std::max(std::clamp((lag * n + fitted) / std::max(n - 3 - fitted, 1.0), 0.0, kMostMemory), log_memory);
  const double independent = n * (1 - rho) / (1 + rho);
  return {std::sqrt(squares / (n - fitted) / independent), independent};
}

/// Lengths of the windows of a log of `n` values, so many of them in the first steps.
std::set<std::size_t> lengths_of(std::size_t n, std::size_t first) {
  std::set<std::size_t> lengths;
  for (const std::size_t length : kLengths)
    if (length <= n) lengths.insert(length);
  for (const std::size_t all : {n, first})
    if (all > 0 && all < kShort) lengths.insert(all);
  return lengths;
}

}  // namespace

double memory(std::span<const double> values) {
  if (values.size() < kShort) return kMostMemory;
  const std::size_t count = values.size() - 1;
  const double n = static_cast<double>(count), middle = (n - 1) / 2, mean_square = (n * n - 1) / 12;
  // The parabola by polynomials that are orthogonal here: 1, place, and its square less the mean of that.
  double level = 0, slope = 0, bend = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double step = values[i + 1] - values[i], place = static_cast<double>(i) - middle;
    level += step / n;
    slope += step * place / (n * mean_square);
    bend += step * (place * place - mean_square) / (n * mean_square * (n * n - 4) / 15);
  }
  double products = 0, squares = 0, before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(i) - middle;
    const double step = values[i + 1] - values[i] - level - slope * place - bend * (place * place - mean_square);
    products += step * before;
    squares += step * step;
    before = step;
  }
  return squares > 0 ? std::clamp(1 + 2 * products / squares, 0.0, kMostMemory) : kMostMemory;
}

std::vector<WindowLevel> window_levels(const Reference& reference, const Difference& difference, Batches batches) {
  const std::size_t n = difference.values.size();
  std::vector<double> at(n);  // the reference where this run has a value
  for (std::size_t i = 0; i < n; ++i) at[i] = reference.mean[difference.places[i]];
  std::vector<WindowLevel> levels;
  const auto first = static_cast<std::size_t>(
      std::ranges::count_if(difference.places, [&](std::size_t place) { return reference.steps[place] <= kFirstSteps; }));
  const bool beside_moved = reference.apart.known() && batches == Batches::same;
  for (const std::size_t length : lengths_of(n, first)) {
    const bool is_short = n < kLookedAt || length < std::min(n, std::clamp((n + 1) / 2, kShort, kShortest));
    for (std::size_t from = 0; from + length <= (is_short && !beside_moved ? first : n);
         from += std::max<std::size_t>(length / 2, 1)) {
      WindowLevel& level = levels.emplace_back(WindowLevel{.from = from, .to = from + length, .is_short = is_short});
      const auto values = std::span(difference.values).subspan(from, length);
      level.mean = mean_of(values);
      const std::size_t wide = std::min(std::max(length, kMemorySpan), n), middle = from + length / 2;
      const std::size_t low = std::min(middle - std::min(middle, wide / 2), n - wide);
      const double log_memory = memory(std::span(at).subspan(low, wide));
      const Error error = error_of(values, level.mean, log_memory);
      level.printed = printing_error(std::span(at).subspan(from, length), reference.unit) /
                      reference.scale[difference.places[from + length - 1]];
      level.error = std::max({error.value, kLeastError, level.printed});
      level.shows_error =
          is_short ? error.independent >= kIndependentShort : length >= kFewest && error.independent >= kIndependent;
      if (batches != Batches::others)
        level.apart = reference.apart.in({difference.places[from], difference.places[from + length - 1] + 1});
    }
  }
  std::ranges::stable_sort(levels, {}, &WindowLevel::to);
  return levels;
}

}  // namespace bisectd::driver::judge
