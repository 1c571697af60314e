// Which sets to run together next: those whose outcomes, all together, are least certain.
#pragma once

#include <span>
#include <vector>

#include "strategies/causes/belief.hpp"

namespace bisectd::strategies::causes {

/// Appends sets to `batch` (those in it run anyway) until it has `count`, or no further one tells anything. None that is in
/// `known`. `doubt`: chance that a verdict is wrong. What is dear to neutralise is active more often.
void add_pools(const std::vector<Explanation>& explanations, std::span<const Suspect> suspects, const Active& always_active,
               double doubt, std::size_t count, std::span<const Active> known, std::vector<Active>& batch, Random& random);

}  // namespace bisectd::strategies::causes
