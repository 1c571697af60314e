// How repeats of a training become samples of its rounding: by a perturbation of rounding size, or harmless settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::configs {

/// Repeat 0 of anything is not perturbed, repeat k is with seed k. Exactly one of `environment`, `argument` and `switches`
/// is set.
struct Perturbation {
  std::optional<std::string> environment;       ///< variable that holds the seed; absent from runs that are not perturbed
  std::optional<Placed<std::string>> argument;  ///< one argv element with {seed}; none in runs that are not perturbed
  std::vector<std::map<std::string, Placed<std::string>>>
      switches;                               ///< repeat k is started with entry k-1; after the last one there is none
  std::map<std::string, std::string> needs;   ///< variables of every run, so that a seed works at all; may hold the
                                              ///< placeholders of a family's variables
  std::optional<Placed<std::string>> made;    ///< RE2, group `value`: what a perturbed run logs of its perturbation
  std::optional<Placed<std::string>> undone;  ///< RE2, group `value`: what it logs if the perturbation was lost
  Place place;
};

/// How many runs differ by their perturbation, the one without included; absent: as many as are wanted.
inline std::optional<int> most_samples(const Perturbation& perturbation) {
  if (perturbation.switches.empty()) return std::nullopt;
  return static_cast<int>(perturbation.switches.size()) + 1;
}

}  // namespace bisectd::configs
