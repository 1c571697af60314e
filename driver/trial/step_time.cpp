#include "driver/trial/step_time.hpp"

#include <algorithm>

namespace bisectd::driver {
namespace {

constexpr std::size_t kMostStretches = 9;

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> step_time_s(const std::vector<StepSeen>& seen) {
  if (seen.empty()) return std::nullopt;
  const std::int64_t warm = seen.front().step + (seen.back().step - seen.front().step) / 4;
  const auto first = std::ranges::find_if(seen, [&](const StepSeen& one) { return one.step >= warm; });
  const auto count = static_cast<std::size_t>(seen.end() - first);
  if (count < kFewestSeen) return std::nullopt;
  // Each stretch spans several sightings: a single gap is only as exact as the polling.
  const std::size_t stretches = std::clamp<std::size_t>((count - 1) / 5, 1, kMostStretches);
  std::vector<double> rates;
  for (std::size_t i = 0; i < stretches; ++i) {
    const StepSeen& from = first[static_cast<std::ptrdiff_t>((count - 1) * i / stretches)];
    const StepSeen& to = first[static_cast<std::ptrdiff_t>((count - 1) * (i + 1) / stretches)];
    rates.push_back((to.at_s - from.at_s) / static_cast<double>(to.step - from.step));
  }
  return median(std::move(rates));
}

}  // namespace bisectd::driver
