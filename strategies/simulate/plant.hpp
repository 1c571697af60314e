// What a game plants: how many causes of which sizes, and what makes them hard to find.
#pragma once

#include <cstddef>
#include <vector>

namespace bisectd::strategies {

/// What is planted. Every game draws its own culprits.
struct Plant {
  std::vector<std::size_t> cause_sizes{1};  ///< one entry per cause: 1 a lone culprit, 2 a pair that only fails together
  double flip = 0;                          ///< chance that one verdict is wrong
  double crash = 0;          ///< share of sets that never resolve; the ends, the causes alone and the fix always do
  double hint_quality = -1;  ///< share of the culprits that a hint flags (5 % of the innocent too); < 0: no hint
  double hint_odds = 20;     ///< odds of a flagged suspect
  double effect_noise = 0;   ///< run-to-run noise of the measured delta, in units of the smallest effect; 0: no deltas
  bool mixed_signs = false;  ///< effects of either sign, which may cancel
  std::size_t signature_steps = 0;             ///< 0: trials have no signature
  double least_size = 1e-4, most_size = 1e-2;  ///< of a cause in its first steps, relative; log-uniform between
  double interaction = 0;                      ///< what two causes add to their sum, of the smaller one
  double rounding = 1e-6;                      ///< of every step of every trial, relative
  double offset = 1e-4;  ///< of the device from the reference, whatever is neutralised: as in the quickstart on real Paddle
  double least_benign = 1e-7, most_benign = 1e-7;  ///< what a healthy suspect changes by rounding; log-uniform between
  double slowdown = 1;            ///< what a trial takes with everything neutralised, against one with nothing
  double signature_length = 1;    ///< what a trial takes of which only the first steps are wanted, against a whole one
  std::vector<double> load = {};  ///< share of each suspect in that, in any unit; empty: the suspects' prices
};

}  // namespace bisectd::strategies
