// Plays the search against culprits planted into a given problem, so that a night can be planned: how many trials and
// rounds will it take? Knows no hours: its unit is a trial with nothing neutralised.
#pragma once

#include <cstdint>
#include <vector>

#include "strategies/search.hpp"

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

/// One game. The trials of the two ends are not counted, nor their round.
struct PlayedGame {
  std::size_t trials = 0;      ///< to the final state
  std::size_t fix_trials = 0;  ///< until the culprit set was proved minimal and sufficient (causes not yet named)
  std::size_t signatures = 0;  ///< of these: trials of which only the first steps were wanted
  std::size_t rounds = 0;      ///< of up to problem.slots trials together
  double device_time = 0;      ///< of all trials, in trials with nothing neutralised
  double time = 0;             ///< the same of the longest trial of each round
  State state = State::searching;
  double confidence = 0;  ///< as stated at the end
  bool exact = false;     ///< the culprit set is a minimal fix of what was planted
  bool named = false;     ///< the causes are exactly the planted ones
};

/// One game; stops unfinished after `most_trials`.
PlayedGame play_planted(const Problem& problem, const Plant& plant, std::uint64_t seed,
                        EngineKind engine = EngineKind::automatic, std::size_t most_trials = 2000);

struct Spread {
  double mean = 0, p10 = 0, median = 0, p90 = 0, most = 0;
};

struct Forecast {
  Spread trials, fix_trials, signatures, rounds, device_time, time;
  double exact = 0, named = 0,
         unfinished = 0;  ///< shares of the games; unfinished: not ended, or ended without a proof
};

/// `games` games with seeds problem.seed, problem.seed + 1, ...; deterministic.
Forecast simulate(const Problem& problem, const Plant& plant, std::size_t games, EngineKind engine = EngineKind::automatic,
                  std::size_t most_trials = 2000);

}  // namespace bisectd::strategies
