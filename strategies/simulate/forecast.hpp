// Whole searches, played against planted truths, so that a night can be planned: how many trials and rounds will it take?
// Knows no hours: the unit of time is a trial with nothing neutralised.
#pragma once

#include <cstdint>

#include "strategies/search.hpp"
#include "strategies/simulate/plant.hpp"

namespace bisectd::strategies {

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
