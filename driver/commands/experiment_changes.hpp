// An experiment that changed between two sessions of one run would mix evidence of two different questions.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/neutralise/recipe.hpp"
#include "driver/record/history.hpp"

namespace bisectd::driver {

/// Throws commands::UsageError for a command's own run directory: nothing goes on with it.
void refuse_by_hand(const History& past, const std::filesystem::path& folder);

/// Throws commands::UsageError with the lines that differ and what to do, unless they are the same or `accepted`.
void refuse_changes(const std::string& resolved_then, const std::string& resolved_now, bool accepted,
                    const std::string& advice);

/// The settings that differ, a line each with "- " (then) or "+ " (now) before it, if trials were judged by them.
std::vector<std::string> changes_under_verdicts(const History& past, const std::string& resolved_then,
                                                const std::string& resolved_now);

/// Throws commands::UsageError with these, if there are any. That cannot be accepted: the
/// answer would mix verdicts of two targets, metrics or trainings. What says which trials come next, or when one is given
/// up, may change.
void refuse_changes_under_verdicts(const History& past, const std::string& resolved_then, const std::string& resolved_now);

/// Throws commands::UsageError if the recorded reference has another digest (digest_of_recording) than the run began with;
/// this cannot be accepted either.
void refuse_other_recording(const History& past, const std::string& recording);

/// Throws commands::UsageError with the names of files that a `setup` names (setup_files()) and that were changed since the
/// run began, unless that is `accepted`: the change may be a comment.
void refuse_other_setup(const History& past, const std::map<std::string, std::string>& files, bool accepted);

/// The same as for the recorded reference, for what the subject has from the shell (inherited_settings) at the beginning and
/// now.
void refuse_other_shell(const History& past, const std::map<std::string, std::string>& inherited);

/// Throws commands::UsageError if suspects of the run are of a family that the experiment does not search any more. That
/// cannot be accepted: what was tried could not be launched again.
void refuse_lost_families(const History& past, const configs::Experiment& experiment);

/// A warning that names suspects which the experiment has by now and the run has not, whose suspects are those of its
/// beginning; nothing if there are none. `base`: the environment of the subject as it is.
std::optional<std::string> suspects_added(const History& past, const configs::Experiment& experiment,
                                          const neutralise::Environment& base);

/// The same for the versions of the subject's software (name to version) at the beginning and now.
void refuse_other_versions(const std::map<std::string, std::string>& then, const std::map<std::string, std::string>& now,
                           bool accepted);

}  // namespace bisectd::driver
