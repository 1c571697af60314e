// Where neutralising does harm, a fix may only make up for the fault, and mend nothing. That cannot be seen in the part that
// was searched, but trials outside of it show it:
// - Everything but one cause is neutralised. That fails if the cause is one, and passes if the fault is elsewhere.
// - The fix and another set that passes without it are neutralised. That passes if both mend, and fails if one of them
//   makes up for what the other one mends.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strategies/evidence.hpp"
#include "strategies/relations.hpp"

namespace bisectd::strategies {

struct HarmCheck {
  Neutralised neutralised;           ///< the trial
  Verdict expected = Verdict::fail;  ///< if the fix mends
  std::optional<Neutralised> other;  ///< what else passes; then the trial is of both
  int votes = 0;                     ///< of what was told of this trial: those as expected less the others
  int times = 0;                     ///< so often it was told, with or without a verdict
};

/// What stayed active in the part that was searched.
struct LeftActive {
  SuspectSet harmful;   ///< neutralising some of it does harm
  SuspectSet breaking;  ///< neutralising one of it breaks the run
};

/// Those of the second kind where another fix is known, else those of the first, one for each cause. `as_is`: the first
/// steps of the subject as it is, if known; a pass that is as far off is no other fix (mended.hpp).
std::vector<HarmCheck> harm_checks(std::span<const Evidence> told, const Neutralised& fix,
                                   std::span<const std::vector<SuspectId>> causes, const LeftActive& left_active,
                                   const Relations& relations, const std::vector<double>& as_is);

/// Of a check that came out otherwise: why nobody is accused, with ids as #3.
std::string objection(const HarmCheck& check, const Neutralised& fix);

}  // namespace bisectd::strategies
