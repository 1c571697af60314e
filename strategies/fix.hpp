// The cheapest way to break every cause.
#pragma once

#include <span>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// A minimal set with a member in every cause (hitting set), of least total price, then of fewest members; ascending.
/// Exact for up to a dozen causes of several members, greedy beyond.
std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects);

}  // namespace bisectd::strategies
