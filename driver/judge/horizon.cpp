// See horizon.hpp.
#include "driver/judge/horizon.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::driver::judge {
namespace {

constexpr double kShortest = 0.3;
constexpr std::size_t kPointsToTrust = 150;  ///< what the verdict asks for before it trusts that nothing spikes

}  // namespace

std::int64_t learn_horizon(const Reference& reference, const NoisePool& pool, const Curve& known_bad) {
  EarlyStop early(reference, pool);
  const auto certain = early.look(known_bad);
  if (!certain || reference.steps.size() <= kPointsToTrust) return reference.last_step();
  const std::int64_t start = reference.steps.front() - reference.stride;
  const std::int64_t run = reference.last_step() - start;
  const std::int64_t wanted =
      std::max<std::int64_t>(std::llround(kShortest * static_cast<double>(run)), 2 * (*certain->first_bad_step - start));
  return std::min(reference.last_step(), std::max(start + wanted, reference.steps[kPointsToTrust - 1]));
}

}  // namespace bisectd::driver::judge
