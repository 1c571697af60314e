// The binary tree over a sequence, order kept, whose leaves are reached in the fewest steps on average: what bisection
// should follow where weights are uneven. "None is left" is one heavy leaf at the end; where the mass is cut in half
// instead, docs/search.md ("What the tree saves") has what it costs.
#pragma once

#include <cstddef>
#include <span>

namespace bisectd::strategies {

/// Of an optimal alphabetic tree over `weight` (at least two, none negative): how many leaves stand left of its root.
/// The same on every machine. O(N^2) in the worst case, close to O(N) mostly.
std::size_t optimal_split(std::span<const double> weight);

}  // namespace bisectd::strategies
