// From an experiment and its suspects to the question that the search is asked. The same for a run and for whoever looks
// at it later. Pure.
#pragma once

#include <span>

#include "configs/experiment.hpp"
#include "driver/judge/curve.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "strategies/search.hpp"

namespace bisectd::driver {

/// `deterministic`: repeats gave the same bits; `slots`: trials at once.
strategies::Problem problem_for(const configs::Experiment& experiment, const neutralise::Catalogue& catalogue,
                                bool deterministic, std::size_t slots);

strategies::EngineKind engine_of(configs::EngineChoice choice);

/// Curves that are bit for bit the first one, itself not counted. Of repeats of the subject as it is they show that it
/// has no noise, even where the judge takes no spread from them because the run failed by an event.
int identical_repeats(std::span<const judge::Curve> curves);

}  // namespace bisectd::driver
