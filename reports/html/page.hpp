// report.html: the result of the night for the engineer who opens it in the morning.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// One self-contained page. All text is in it without any script, the script only draws charts, sorts and filters. Its
/// content security policy allows no network and no script or style but its own, by their hashes.
std::string to_html(const Record& record);

}  // namespace bisectd::reports
