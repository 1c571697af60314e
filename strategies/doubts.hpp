// What a proof leaves in doubt: whether all of the fix is needed, and whether it mends at all or only makes up for the
// fault.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strategies/effects.hpp"
#include "strategies/evidence.hpp"
#include "strategies/hidden.hpp"
#include "strategies/phases.hpp"

namespace bisectd::strategies {

/// Nothing before all causes are known.
std::optional<Effects> known_effects(const Phases& phases);

/// Members of the causes that the fix may be enough without.
struct Needless {
  std::vector<SuspectId> members = {};  ///< ascending; empty: none
  Active with_rest = {};                ///< the subject with the rest of the fix
};

/// The first that no trial of the fix without them has shown to be needed.
Needless needless_in(const Phases& phases);
/// It is shown that the fix is enough without them.
bool is_shown(const Phases& phases, const Needless& needless);

struct Doubts {
  std::vector<Trial> open = {};       ///< trials that are to settle them
  std::string objection = {};         ///< why nobody may be accused, with ids as #3; empty: nothing was found
  std::optional<Hidden> hidden = {};  ///< what noise hides, if that is the objection
};

/// About what is proved. `harmful`: stayed active in the part that was searched, as neutralising some of it does harm;
/// `told`: all evidence, also of sets that neutralise some of it. `least_active`: the least that runs.
Doubts doubts_about(const Phases& phases, std::span<const Evidence> told, const SuspectSet& harmful,
                    const Active& least_active);

}  // namespace bisectd::strategies
