// The end of a run whose answer is proved: what the answer predicts is run once more. A verdict is seen once and stands for
// the whole night; a device that goes bad or heals in the middle, and a fault that comes and goes, make a proof of verdicts
// that were all true when they were seen.
#pragma once

#include <optional>
#include <string>

#include "driver/loop/run.hpp"

namespace bisectd::driver {

/// One set that is tried once more, and what it must show.
struct Control {
  strategies::Neutralised neutralised;
  strategies::Verdict expected = strategies::Verdict::pass;
};

/// How many times it must be borne out. Where a run need only come to its end (`must_only_run`), three times if it must
/// pass: a suspect that breaks 80 % of the runs lets one in five pass by luck. Of 12,000 made-up searches 716 were proved
/// with that, none wrongly; with one pass each 6 of 16 were wrong where two suspects break 80 % of the runs each.
int times_of(const Control& control, bool must_only_run);

/// What bears a proved answer out at the end, in the order in which it is to be run: the fix passes, and it fails without
/// any one of its members (of a fix of one, the subject as it is). That tries all of the culprit set where it is used,
/// beside what the fix leaves active; with everything neutralised the run passes if the fix does. What fails is run last:
/// had the fault healed after the fix was seen to pass, it would pass. Of causes of several members, which single trials
/// may have put together wrongly, each is tried once more by itself, and without each member that the fix leaves active.
/// `all_claims`: each trial of the certificate is added, for trials of one and the same set disagree (doubts.hpp).
std::vector<Control> controls_of(const strategies::Answer& answer, const neutralise::Catalogue& catalogue, bool all_claims);

/// Runs them until one contradicts the answer, and again what noise hides or, with noise, contradicts. The answer in the
/// state is not proved any more if they do not bear it out, or if the hours of the budget are spent before; they are not
/// among its trials. Throws Interrupted; Infrastructure also where one gives no verdict, so that a resume tries it again.
void control_answer(Run& run);

/// Whether the subject, which fails, passes as soon as it is looked at, whatever is neutralised: in words. Of families that
/// are `watched` the discovery run shows that it does not; else one more run is made. Throws as above.
std::optional<std::string> mended_by_watching(Run& run, const std::optional<FinishedTrial>& discovery);

/// The same before a culprit of such a family is accused that was not among the suspects then, as a part of another one.
/// Takes the answer back where it passes. Throws as above.
void control_watching(Run& run);

/// Before "the cause is outside": the subject as it is runs once more, for nothing else would show that it is not any more
/// what it was. Takes the answer back where it passes. Throws as above.
void control_outside(Run& run);

}  // namespace bisectd::driver
