// See window.hpp.
#include "driver/judge/window.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "driver/judge/level.hpp"

namespace bisectd::driver::judge {
namespace {

constexpr std::size_t kLengths[] = {8, 12, 16, 24, 32, 48, 64, 96, 128};
constexpr std::size_t kShortest = 32;    ///< or half of a short log: below, the window's error is too uncertain (mend S),
constexpr std::size_t kFewest = 16;      ///< and below this always
constexpr std::size_t kShort = 8;        ///< of a shorter log, and of the first steps if they are fewer, all
constexpr std::size_t kLookedAt = 4;     ///< values that show an error
constexpr std::size_t kMemorySpan = 64;  ///< values of the reference, at least, from which its memory is read
constexpr double kMostMemory = 0.98;
constexpr double kSmoothed = 0.4;  ///< memory from which on the log prints a mean of several steps (mend R)
constexpr double kIndependent = 8,
                 kIndependentShort = 2;  ///< values below which a window says nothing of its error (mend R)
constexpr double kLeastError = 2e-5;     ///< what the loss's own arithmetic moves a mean by
constexpr double kOfDigit = 0.25;        ///< of a printed digit: rounding to it may be the same in a whole window

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
/// bias of a short window. `least`: of its memory.
Error error_of(std::span<const double> values, double mean, double least) {
  if (values.size() < kLookedAt) return {std::abs(mean), 0};
  const auto n = static_cast<double>(values.size());
  const double slope = slope_of(values, mean), fitted = slope == 0 ? 1 : 2;
  double squares = 0, products = 0, before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rest = values[i] - mean - slope * (static_cast<double>(i) - (n - 1) / 2);
    squares += rest * rest;
    products += rest * std::exchange(before, rest);
  }
  const double lag = squares > 0 ? products / squares : 0;
  const double rho = std::max(std::clamp((lag * n + fitted) / std::max(n - 3 - fitted, 1.0), 0.0, kMostMemory), least);
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
  if (values.size() < 4) return kMostMemory;
  const std::size_t n = values.size() - 2;
  double a = 0, b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    a += (values[i + 1] - values[i]) / static_cast<double>(n);
    b += (values[i + 2] - values[i + 1]) / static_cast<double>(n);
  }
  double both = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i + 1] - values[i] - a, y = values[i + 2] - values[i + 1] - b;
    both += x * y;
    first += x * x;
    second += y * y;
  }
  const double size = std::sqrt(first) * std::sqrt(second);
  return size > 0 ? std::clamp(1 + 2 * both / size, 0.0, kMostMemory) : kMostMemory;
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
      const Error error = error_of(values, level.mean, log_memory > kSmoothed ? log_memory : 0);
      level.error = std::max({error.value, kLeastError, kOfDigit * reference.digit});
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
