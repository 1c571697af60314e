// An experiment that changed between two sessions of one run would mix evidence of two different questions.
#pragma once

#include <map>
#include <string>

namespace bisectd::driver {

/// Throws commands::UsageError with the lines that differ, unless they are the same or `accepted`.
void refuse_changes(const std::string& resolved_then, const std::string& resolved_now, bool accepted);

/// The same for the versions of the subject's software (name to version) at the beginning and now.
void refuse_other_versions(const std::map<std::string, std::string>& then,
                           const std::map<std::string, std::string>& now, bool accepted);

}  // namespace bisectd::driver
