// Many games of one kind, so that a night can be planned: how many trials and rounds will it take?
#pragma once

#include "strategies/simulate/game.hpp"

namespace bisectd::strategies {

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
