// The cheapest way to break every cause.
#pragma once

#include <span>
#include <vector>

#include "strategies/relations.hpp"

namespace bisectd::strategies {

/// A minimal set with a member in every cause (hitting set), of least total price, then of fewest members; ascending.
/// Exact for up to a dozen causes of several members, greedy beyond.
std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects);

/// The same where a cause is mended by what its members need to matter, too; nobody of `always_active` is in it.
std::vector<SuspectId> cheapest_fix(std::span<const std::vector<SuspectId>> causes, std::span<const Suspect> suspects,
                                    const Relations& relations, const SuspectSet& always_active);

/// All minimal sets of that kind, cheapest first, but not more than `most`; each ascending. Of causes with very many of
/// them the first few only as far as they are found soon.
std::vector<std::vector<SuspectId>> minimal_fixes(std::span<const std::vector<SuspectId>> causes,
                                                  std::span<const Suspect> suspects, const Relations& relations,
                                                  const SuspectSet& always_active, std::size_t most);

}  // namespace bisectd::strategies
