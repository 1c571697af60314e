// Finds in a record what a renderer wants to point at. Knows nothing of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports {

/// It ended and was not judged: that its curve, or the beginning of it, is there is all that was wanted. References,
/// discovery, trials for a signature.
bool is_measured_only(const Trial& trial);

/// A judged trial that says something about the subject. Reference runs and discovery neutralise nothing either, but
/// the first are not the subject and the second only lists what it uses.
bool judges_subject(const Trial& trial);

/// The last judged trial of a role, or null.
const Trial* judged_trial(const Record& record, Role role);

/// The subject as it is, which may have been tried several times: the last trial that bears the outcome out, else the last.
const Trial* as_is_trial(const Record& record);

/// The last judged trial of exactly `ids` (ascending), or null; one with the `wanted` verdict is preferred, because a
/// repeat after it may have been a lost node. Trials of single values of a ladder do not count: they try another value; nor
/// do controls, which the answer does not rest on.
const Trial* judged_trial(const Record& record, const std::vector<std::size_t>& ids,
                          std::optional<strategies::Verdict> wanted = {});

/// The trial that shows a claim: the last judged one of exactly this set, of a proved claim the last with the expected
/// verdict; null when there is none.
const Trial* shown_by(const Record& record, const strategies::Claim& claim);

/// The attempt that a person would run again: not perturbed where there is one, and the last of these, as earlier ones may
/// have been lost. Null: none was started.
const Attempt* attempt_to_run_again(const Trial& trial);

/// Whether what is proved stands, though the whole may not be: no trial speaks against it.
bool stands(const strategies::Answer& answer);

/// The claim that a set passes, if it is proved and stands; null: there is no such set.
const strategies::Claim* passing_fix(const strategies::Answer& answer);

/// Whether there is something to set: the fix, or of an incomplete answer what was seen to pass.
bool has_workaround(const Record& record);

/// The trial of exactly the culprit set, or null.
const Trial* fix_trial(const Record& record);

/// What perturbed runs of one side logged of their perturbation; empty if there is none or it said nothing.
std::string_view perturbation_of(const Record& record, bool reference);

/// Where the part ends up to which the subject as it is can be judged, if that is before the end of the run.
std::optional<std::int64_t> comparable_end(const Record& record);

/// Suspects that change the first steps and do no harm, of the last search and then of the one before it; none where nobody
/// is accused.
std::vector<strategies::Deviation> harmless_deviations(const Record& record);

/// Launches of all trials.
std::size_t attempt_count(const Record& record);

/// Ids of a set, ascending.
std::vector<std::size_t> members(const strategies::SuspectSet& set);

}  // namespace bisectd::reports
