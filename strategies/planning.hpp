// Which trials to run next: one way to choose for each phase of the search.
#pragma once

#include <span>
#include <vector>

#include "strategies/patience.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// Up to `slots` trials worth running now beside `pending` ones (neutralised sets).
std::vector<Trial> next_trials(const Phases& phases, const Outage& outage, std::size_t slots,
                               std::span<const Neutralised> pending);

/// When there is nothing else to ask, what the noise hides is asked again; where a budget ends the search, until then.
std::vector<Trial> repeats(const Phases& phases, std::size_t slots);

}  // namespace bisectd::strategies
