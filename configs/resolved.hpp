// The experiment as it was understood, with what presets and defaults add to it. For people, and to see on resume whether
// anything that matters has changed. Not meant to be loaded again.
#pragma once

#include <string>

#include "configs/experiment.hpp"

namespace bisectd::configs {

/// YAML in a fixed order, the same text for the same experiment on every machine; only families that are searched.
/// Name tables are written as a count and a digest; secrets (secret.hpp) as a digest of 32 bits, which shows a
/// change; it also confirms a secret that somebody guesses.
std::string resolved_yaml(const Experiment& experiment);

}  // namespace bisectd::configs
