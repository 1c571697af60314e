// Causes that fail alone, with all others neutralised, and yet do nothing in the subject as it is:
// - Two or three that do harm only while some of them are neutralised and the others are not: say, a forward operator on
//   the CPU whose backward operator on the device expects what only the device leaves.
// - Some whose replacements are wrong, and nearly cancel: with everything neutralised the run passes, while with one of them
//   active what the others' replacements add is left. Two or three faults that cancel each other look the same, in every
//   trial.
// What the causes add to the run, each alone, shows both; a trial of the fix without them must confirm it.
#pragma once

#include <optional>
#include <vector>

#include "strategies/evidence_log.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Members of the causes that the fix may be enough without.
struct Needless {
  std::vector<SuspectId> members = {};  ///< ascending; empty: none
  Active with_rest = {};                ///< the subject with the rest of the fix
};

/// How far runs are off, all in the same units: by signatures, where all of these runs have them and a search by them
/// explains them (else they may hold rounding alone), else by differences.
struct Effects {
  std::vector<std::vector<SuspectId>> causes;
  std::vector<double> neutralised;         ///< with everything neutralised
  std::vector<std::vector<double>> added;  ///< by each cause, alone, to that
  std::vector<double> mended;              ///< what the fix takes away from the subject as it is; empty: not known
  std::vector<double> unexplained;         ///< of that, beyond the sum of what the causes add; empty: not known

  bool as_is_known() const { return !mended.empty(); }
};

/// `with_fix`: the subject with the fix; `by_signatures`: whether these tell. Nothing if everything neutralised or one cause
/// alone was not measured.
std::optional<Effects> effects_of(const EvidenceLog& log, const Active& always_active, const Active& with_fix,
                                  std::vector<std::vector<SuspectId>> causes, bool by_signatures);

/// Of two causes or more, the runs of each alone that were never measured, as they were ended once they were certain to
/// fail. Empty where they would not be known after it.
std::vector<Active> to_be_measured(const EvidenceLog& log, const Active& always_active,
                                   const std::vector<std::vector<SuspectId>>& causes);

/// Of the causes with one member first up to three sets of two or three that the subject as it is differs without, as if
/// they did nothing there, then up to three that cancel: with these active, and all else neutralised, less than a third is
/// left of what the least of them adds. Those that explain most, and leave least, first: effects of like size explain as
/// much, and only a trial tells which of the sets it is. Each ascending.
std::vector<std::vector<SuspectId>> needless_sets(const Effects& effects);

/// Of two causes or more: what is unexplained is more than the fix takes away, and more than a third of what they add. Of
/// ten searches for two or three faults on the real Paddle it was at most a quarter of the former; with a culprit and an
/// innocent that go wrong where only one of them runs on the CPU 7 and 59 times it (planted_devices.py, `mate`, seeds 902
/// and 905).
bool do_not_add_up(const Effects& effects);

/// The same, or it is as if one of the causes with one member did nothing in the subject as it is, or took away there what
/// it adds alone: it may be right in itself, and do harm only while another one is neutralised. The fix needs it even so.
bool may_hold_innocent(const Effects& effects);

/// The fix takes away the opposite of what the causes add: so it is, if each side does harm beside the other one, and the
/// harm of neutralising them makes up for a fault that is elsewhere.
bool fix_only_makes_up(const Effects& effects);

}  // namespace bisectd::strategies
