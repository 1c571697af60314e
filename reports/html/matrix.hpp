// The trial x suspect matrix of report.html, which shows the search at a glance.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// A table with one row per suspect, the culprits and the most suspicious first, and one mark per judged trial of the
/// subject: neutralised (the shape tells the verdict) or active. Empty while there is no such trial.
std::string matrix(const Record& record);

}  // namespace bisectd::reports
