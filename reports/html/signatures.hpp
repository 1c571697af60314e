// How trials begin, as a picture: which look alike, and what those have in common.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// A table with one row for each way to begin. Empty unless two trials of the search have a signature.
std::string signatures_section(const Record& record);

}  // namespace bisectd::reports
