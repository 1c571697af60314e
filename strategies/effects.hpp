// What runs are off by, held beside each other. Does a run that passes mend anything? The replacement of an innocent suspect
// may be as wrong as the fault, the other way. Do the causes, each of which fails alone with all others neutralised, add up
// to what the fix takes away from the subject as it is? If not, some of them do nothing there:
// - Two or three that do harm only while some of them are neutralised and the others are not: say, a forward operator on
//   the CPU whose backward operator on the device expects what only the device leaves.
// - Some whose replacements are wrong, and nearly cancel: with everything neutralised the run passes, while with one of them
//   active what the others' replacements add is left. Two or three faults that cancel each other look the same, in every
//   trial.
// A trial of the fix without them must confirm it. And who is off, and yet does no harm?
#pragma once

#include <optional>
#include <vector>

#include "strategies/evidence_log.hpp"
#include "strategies/finding.hpp"
#include "strategies/suspect.hpp"

namespace bisectd::strategies {

/// Of a subject that fails as it is: this run is clearly off, and by 3 % or more of what that is off by: in its first steps
/// or, unless both have a signature, in its final window. False where neither is known of both: nothing can be said then.
bool is_still_off(const Measured& as_is, const Measured& run);

/// Of two runs that fail: their differences are so far apart that what fails the one need not be what fails the other, by a
/// fifth of the larger one and by three standard errors. False where one of them is not known.
bool is_off_otherwise(const Measured& as_is, const Measured& run);

/// How far runs are off, all in the same units: by signatures, where all of these runs have them and a search by them
/// explains them (else they may hold rounding alone), else by differences.
struct Effects {
  using Off = std::vector<double>;

  std::vector<std::vector<SuspectId>> causes;
  Off neutralised;         ///< with everything neutralised
  std::vector<Off> added;  ///< by each cause, alone, to that
  Off mended;              ///< what the fix takes away from the subject as it is; empty: not known

  bool as_is_known() const { return !mended.empty(); }
  Off unexplained() const;  ///< of `mended`, beyond the sum of what the causes add
};

/// `by_signatures`: whether these tell. Nothing if everything neutralised or one cause alone was not measured.
std::optional<Effects> effects_of(const EvidenceLog& log, const Active& always_active, const Accused& accused,
                                  bool by_signatures);

/// Of two causes or more, the runs of each alone that were never measured, as they were ended once they were certain to
/// fail. Empty where they would not be known after it.
std::vector<Active> to_be_measured(const EvidenceLog& log, const Active& always_active,
                                   const std::vector<std::vector<SuspectId>>& causes);

/// Of the causes with one member first up to three sets of two or three that the subject as it is differs without, as if
/// they did nothing there, then up to three that cancel: with these active, and all else neutralised, less than a third is
/// left of what the least of them adds. Those that explain most, and leave least, first: effects of like size explain as
/// much, and only a trial tells which of the sets it is. Each ascending.
std::vector<std::vector<SuspectId>> needless_sets(const Effects& effects);

/// Of two causes or more: what is unexplained is more than three quarters of what the fix takes away, and more than a third
/// of what they add.
bool do_not_add_up(const Effects& effects);

/// The same, or it is as if one of the causes with one member did nothing in the subject as it is: it may be right in
/// itself, and do harm only while another one is neutralised. The fix needs it even so.
bool may_hold_innocent(const Effects& effects);

/// The fix takes away the opposite of what the causes add: so it is, if each side does harm beside the other one, and the
/// harm of neutralising them makes up for a fault that is elsewhere.
bool fix_only_makes_up(const Effects& effects);

/// Of the sets that neutralise more than the fix, whose verdicts noise hides, the one that the judge holds most likely to
/// fail, if it does so of any: two faults that the fix leaves active may cancel each other. Null where runs differ by
/// chance, so that a lean means nothing.
const LogEntry* leans_to_fail_with_more_neutralised(const EvidenceLog& log, const Active& always_active,
                                                    const Accused& proved);

/// A suspect that changes the first steps and does no harm: the next to look at where a target becomes stricter.
struct Deviation {
  SuspectId suspect = 0;
  double size = 0;  ///< greatest difference of a first step from that with everything neutralised, in healthy spreads
};

/// Suspects that were active alone in a trial that passed, and whose first steps differ from those with everything
/// neutralised as clearly as a search by signatures asks for, and by far more than the device itself does from the
/// reference; the greatest first. None of the `guilty` is among them: what fails only together with others is harmful all
/// the same.
std::vector<Deviation> harmless_deviations(const EvidenceLog& log, const Active& always_active, const SuspectSet& guilty);

}  // namespace bisectd::strategies
