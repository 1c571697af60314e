// See horizon.hpp.
#include "driver/judge/horizon.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::driver::judge {
namespace {

constexpr double kShortest = 0.3;

}  // namespace

std::int64_t learn_horizon(const Reference& reference, const NoisePool& pool, const Curve& known_bad) {
  EarlyStop early(reference, pool);
  const auto certain = early.look(known_bad);
  if (!certain || certain->reason != "level") return reference.last_step();
  const std::int64_t start = reference.steps.front() - reference.stride;
  const std::int64_t run = reference.last_step() - start;
  const std::int64_t wanted = std::max(std::llround(kShortest * static_cast<double>(run)),
                                       static_cast<long long>(2 * (*certain->first_bad_step - start)));
  return start + std::min(run, wanted);
}

}  // namespace bisectd::driver::judge
