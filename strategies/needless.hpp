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

struct Needless {
  enum class Why { move_together, cancel, off_neutralised };  ///< the last: the sum is less off than everything neutralised
  std::vector<SuspectId> members = {};                        ///< ascending; empty: none
  Why why = Why::move_together;
  Active with_rest = {};  ///< the subject with the rest of the fix
};

/// How far runs are off, all in the same units: by signatures, where all of these runs have them and they follow from the
/// causes, else by differences.
struct Effects {
  std::vector<std::vector<SuspectId>> causes;
  std::vector<double> neutralised;         ///< with everything neutralised
  std::vector<std::vector<double>> added;  ///< by each cause, alone, to that
  std::vector<double> mended;              ///< what the fix takes away from the subject as it is; empty: not known
  std::vector<double> unexplained;         ///< of that, beyond the sum of what the causes add; empty: not known

  bool as_is_known() const { return !mended.empty(); }
};

/// `with_fix`: the subject with the fix. Nothing if everything neutralised or one cause alone was not measured.
std::optional<Effects> effects_of(const EvidenceLog& log, const Active& always_active, const Active& with_fix,
                                  std::vector<std::vector<SuspectId>> causes);

/// Of two causes or more, the runs of each alone that were never measured, as they were ended once they were certain to
/// fail. Empty where effects are known even so, or would not be after it.
std::vector<Active> to_be_measured(const EvidenceLog& log, const Active& always_active, const Active& with_fix,
                                   const std::vector<std::vector<SuspectId>>& causes);

/// Of the causes with one member first up to three sets of two or three that the subject as it is differs without, as if
/// they did nothing there, then up to three that cancel: with these active, and all else neutralised, less than a third is
/// left of what the least of them adds. Those that explain most, and leave least, first: effects of like size explain as
/// much, and only a trial tells which of the sets it is. `with_rest` is not filled in.
std::vector<Needless> needless_sets(const Effects& effects);

/// Of the causes with one member those with which active, and all else neutralised, the run should be off by less than a
/// third of what it is off by with everything neutralised. Empty: none, or more than 12 such causes, too many to try all
/// sets.
std::vector<SuspectId> better_left_active(const Effects& effects);

/// Of the causes with one member the one that takes away in the subject as it is what it adds alone: so it is, if it is
/// right in itself and only must be neutralised together with another cause. The fix needs it even so. Nothing: none.
std::optional<SuspectId> perhaps_innocent(const Effects& effects);

/// Those of the causes with one member that add nothing in the subject as it is, to what the others do there: another one
/// hides it, or it does harm only while that one is neutralised, and is right in itself. The fix needs it even so.
std::vector<SuspectId> hidden_as_it_is(const Effects& effects);

/// Of two causes or more: what is unexplained is more than the fix takes away, and more than a third of what they add. Of
/// ten searches for two or three faults on the real Paddle it was at most a quarter of the former; with a culprit and an
/// innocent that go wrong where only one of them runs on the CPU 7 and 59 times it (planted_devices.py, `mate`, seeds 902
/// and 905).
bool do_not_add_up(const Effects& effects);

/// Whether what trials show in their first steps follows from which of the causes are active: these tell half of how they
/// vary, or more. Where they do not, sums of signatures say nothing: of faults that begin later the first steps hold
/// rounding alone. True without signatures.
bool signatures_follow(const EvidenceLog& log, const std::vector<std::vector<SuspectId>>& causes);

/// The fix takes away the opposite of what the causes add: so it is, if each side does harm beside the other one, and the
/// harm of neutralising them makes up for a fault that is elsewhere. False where one is perhaps innocent: that explains it.
bool fix_only_makes_up(const Effects& effects);

}  // namespace bisectd::strategies
