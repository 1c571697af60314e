// The cheapest way to break every cause.
#pragma once

#include <span>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// A minimal set with a member in every cause (hitting set), of least total price, then of fewest members; ascending. Of
/// very many causes that overlap the best one that is found soon.
std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects);

/// The first `most` of all minimal sets of that kind, in that order. Of causes with very many of them only as far as they
/// are found soon.
std::vector<std::vector<SuspectId>> minimal_fixes(std::span<const std::vector<SuspectId>> causes,
                                                  std::span<const Suspect> suspects, std::size_t most);

}  // namespace bisectd::strategies
