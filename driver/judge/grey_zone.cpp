#include "driver/judge/grey_zone.hpp"

#include <algorithm>
#include <cmath>

namespace bisectd::driver::judge {
namespace {

using strategies::Verdict;

// Chances, at the far edge of the grey zone, of a wrong verdict: of all looks before the last together, and of the
// last. Most is kept for the last look, as in group-sequential trials: a pass at the first look rests on a noise floor
// of few runs. Tuned with the benchmark: wrong <= 0.7 % and inconclusive <= 2 % while the noise is 0.2 %.
constexpr double kPassBefore = 0.008, kPassLast = 0.007;
constexpr double kFailBefore = 0.003, kFailLast = 0.024;
constexpr double kClear = 0.6;  ///< share of the target within which a pass needs no further look
constexpr double kPower = 0.9;

double margin(double alpha, const StandardError& error) {
  return error.dof > 0 ? t_quantile(alpha, error.dof) * error.value : 0;
}

double fail_margin(const configs::Acceptance& accept, const Comparison& comparison) {
  const double looks = std::max(1, accept.max_repeats - 1);
  return margin(comparison.last_look ? kFailLast : kFailBefore / looks, comparison.error);
}

}  // namespace

configs::Acceptance strict(configs::Acceptance accept) {
  accept.grey = 1;
  return accept;
}

Verdict decide(const configs::Acceptance& accept, const Comparison& comparison) {
  const double target = accept.target, grey = accept.grey, size = comparison.size;
  if (comparison.error.dof <= 0) return Verdict::inconclusive;
  const double looks = std::max(1, accept.max_repeats - 1);
  const double upper = size + margin(comparison.last_look ? kPassLast : kPassBefore / looks, comparison.error);
  const double lower = size - fail_margin(accept, comparison);
  const bool clear = comparison.last_look || size <= kClear * target || upper <= target;
  if (size <= target && upper < grey * target && clear) return Verdict::pass;
  return size > target && lower > target / grey ? Verdict::fail : Verdict::inconclusive;
}

double detectable(const configs::Acceptance& accept, const Comparison& comparison) {
  const double power = margin(1 - kPower, comparison.error);
  return std::max(accept.target + power, accept.target / accept.grey + fail_margin(accept, comparison) + power);
}

double largest_noise(const configs::Acceptance& accept, double dof, int m, int n) {
  const double all = dof + n - 1;
  const double looks = std::max(1, accept.max_repeats - 1);
  const double alpha = n >= accept.max_repeats ? kPassLast : kPassBefore / looks;
  return accept.grey * accept.target /
         ((t_quantile(alpha, all) + t_quantile(1 - kPower, all)) * std::sqrt(1.0 / n + 1.0 / m));
}

}  // namespace bisectd::driver::judge
