// What is believed before any trial: how many culprits there are, and which suspects are likelier.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Prior probability that a cause is one suspect by itself, and that it is several that fail only together. A belief: no
/// benchmark chose it.
inline constexpr double kLoneCause = 0.85, kJointCause = 0.15;

/// Prior odds as the search uses them. A hint may be worthless: a quarter of the belief is shared out evenly, so that a
/// culprit which no hint flags costs at most two trials more, and mostly one.
std::vector<double> believed_odds(std::span<const Suspect> suspects);
/// None of those that are active in every trial.
std::vector<double> believed_odds(std::span<const Suspect> suspects, const Active& always_active);

/// Weights (not normalised) of m = 0 .. N+1 for "the first culprit among `order` (N suspects) is its m-th one, counted from
/// 1"; m = 0 never happens, m = N+1 means none is left. `found` culprits are known and not in `order`. The number of
/// culprits k has P(1) : P(2) : P(3) = 8 : 3 : 2 and falls with k^-3 beyond; each is drawn by the odds. Only + - * / are
/// used, so that every machine computes the same bits.
std::vector<double> first_culprit(std::span<const double> odds, std::span<const SuspectId> order, std::size_t found);

/// The same for the last member of a cause beside those that are exposed; m = 0: they fail by themselves.
std::vector<double> first_partner(std::span<const double> odds, std::span<const SuspectId> order);

}  // namespace bisectd::strategies
