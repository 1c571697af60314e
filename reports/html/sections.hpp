// The parts of report.html that are text. Each is a whole section element, or empty when there is nothing to say.
#pragma once

#include <string>
#include <string_view>

#include "reports/record.hpp"

namespace bisectd::reports {

/// `body` under a heading; empty for an empty body. `id` names the section.
std::string section(std::string_view id, std::string_view title, const std::string& body);

/// Where the page's script draws the chart of this id.
std::string chart(std::string_view id, const std::string& label);

std::string facts_section(const Record& record);       ///< deltas, target, noise, duration
std::string proof_section(const Record& record);       ///< causes and the certificate
std::string workaround_section(const Record& record);  ///< what to export, and what it costs
std::string ladders_section(const Record& record);     ///< every value of a ladder, with a canvas ladder-0, -1 ... each
std::string notes_sections(const Record& record);
std::string trials_section(const Record& record);  ///< every attempt with the command that repeats it
std::string versions_section(const Record& record);

}  // namespace bisectd::reports
