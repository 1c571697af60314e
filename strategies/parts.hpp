// What may still be tried where the subject fails even with everything neutralised: neutralising a suspect may do harm by
// itself (its replacement on the CPU is wrong, or missing), and then no trial that neutralises it passes.
#pragma once

#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Sets of suspects that stay active, `always_active` among them, each neutralising another random part of the others: by
/// turns half, two thirds and a third of them. Distinct, neither all nor none; at most kMostParts, fewer where there are no
/// more. The same for the same arguments on any build.
std::vector<Active> parts_left_active(const Active& always_active, std::uint64_t seed);

/// For where none of these passes, as several culprits are in nearly all of them: sets that each leave a few more active
/// than `always_active`, or one of up to kMostSingles. Of more suspects the blocks of four random partitions, into eight and
/// into sixteen blocks; with three culprits and one suspect that does harm one of these passes in 99 of 100 cases.
std::vector<Active> small_parts_left_active(const Active& always_active, std::uint64_t seed);

constexpr std::size_t kMostSingles = 48;

/// One part in four holds a lone culprit but not a lone suspect that does harm; 2 in 9 of the parts of a third or two
/// thirds. So twelve miss both with a chance of 0.75^4 * 0.78^8 = 4 %; a test asks for 90 % of 300 searches.
constexpr std::size_t kMostParts = 12;

}  // namespace bisectd::strategies
