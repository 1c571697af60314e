// Reads `likely: {from: FILE}`: what `bisectd align` found, or a comparison of dumps.
#pragma once

#include "configs/experiment.hpp"

namespace bisectd::driver::align {

/// Fills `hints` of all suspects that name a file; warns where it tells of nothing that deviates. Throws
/// configs::ConfigError for a file that is missing or of another kind.
void read_odds_files(configs::Experiment& experiment);

/// A wrong hint costs one or two trials; a first deviation is rarely innocent, but often harmless.
inline constexpr double kOddsOfFirst = 20;

/// Of those after it whose inputs agree: they deviate by themselves, too.
inline constexpr double kOddsOfOthers = 5;

}  // namespace bisectd::driver::align
