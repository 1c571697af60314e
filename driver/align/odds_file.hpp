// Reads `likely: {from: FILE}`: what `bisectd align` found, or a comparison of dumps.
#pragma once

#include "configs/experiment.hpp"

namespace bisectd::driver::align {

/// Fills `hints` of all suspects that name a file; warns where it tells of nothing that deviates. Throws
/// configs::ConfigError for a file that is missing or of another kind.
void read_odds_files(configs::Experiment& experiment);

}  // namespace bisectd::driver::align
