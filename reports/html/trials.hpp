// Trials in report.html at a glance: the trial x suspect matrix, and how their first steps differ.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// A table with one row per suspect, the culprits and the most suspicious first, and one mark per judged trial of the
/// subject: neutralised (the shape tells the verdict) or active. Empty while there is no such trial.
std::string matrix(const Record& record);

/// A table with one row for each way to begin. Empty unless two trials of the search have a signature.
std::string signatures_section(const Record& record);

}  // namespace bisectd::reports
