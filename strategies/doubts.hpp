// What a proof in a part of the suspects leaves in doubt. It was searched since neutralising others does harm, so the fix
// may only make up for the fault with such harm, and mend nothing. In the part itself that cannot be seen, but outside:
// - With everything but one cause neutralised the run fails if the cause is one, and passes if the fault is elsewhere.
//   Likewise with everything but the fix neutralised, whose members may make up for the fault in parts.
// - With the fix and another set neutralised that passes without it, the run passes if both mend, and fails if one of them
//   makes up for what the other one mends.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strategies/evidence.hpp"
#include "strategies/finding.hpp"
#include "strategies/hidden.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

struct Doubts {
  std::vector<Trial> open;            ///< trials that are to settle them
  std::string objection;              ///< why nobody may be accused, with ids as #3; empty: nothing was found
  std::optional<Hidden> hidden = {};  ///< what noise hides, if that is the objection
};

/// `as_is`: the subject as it is, beside which a pass that is still off (mended.hpp) is no fix; `harmful`: stayed active in
/// the part that was searched, as neutralising some of it does harm; `told`: all evidence, also of sets that neutralise some
/// of it. `least_active`: the least that runs. `votes`: so many more of one verdict than of the other settle a doubt.
Doubts doubts_about(const Accused& proved, const Measured& as_is, std::span<const Evidence> told, const SuspectSet& harmful,
                    const Active& least_active, int votes);

}  // namespace bisectd::strategies
