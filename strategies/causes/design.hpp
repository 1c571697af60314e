// Which pools of suspects to run together next: those whose joint outcome the particles are most undecided about.
#pragma once

#include <span>
#include <vector>

#include "strategies/causes/explanation.hpp"
#include "strategies/random.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies::causes {

/// Appends pools to `batch` (those in it run anyway) until it has `count`, greedily by the entropy of the noisy
/// outcomes of up to eight pools together (`flip`: chance that one is wrong). A pool that would tell next to nothing is
/// left out, and one that is in `known` is not chosen. A pool holds no suspect that cannot matter in it. `price`: of
/// neutralising each suspect, in any unit.
void design_pools(const std::vector<Explanation>& particles, std::span<const double> price, double flip, std::size_t count,
                  std::span<const SuspectSet> known, std::vector<SuspectSet>& batch, Random& random);

}  // namespace bisectd::strategies::causes
