// One whole search, played against a planted truth. Knows no hours: its unit is a trial with nothing neutralised.
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

}  // namespace bisectd::strategies
