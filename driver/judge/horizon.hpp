// How much of a run later trials need, learnt from the run that is known to be bad. The certificate never uses it.
#pragma once

#include "driver/judge/early_stop.hpp"

namespace bisectd::driver::judge {

/// Last step later trials must reach: max(30 % of the run, twice the step at which the known-bad run was certain), at
/// least 150 logged points; the whole run when it was never certain before its end. Judge such trials against
/// prepare_reference(..., until = result).
std::int64_t learn_horizon(const Reference& reference, const NoisePool& pool, const Curve& known_bad);

}  // namespace bisectd::driver::judge
