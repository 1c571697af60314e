// What `bisectd align` says of a comparison: a table with the error along the depth of the network, a page, and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "driver/align/comparison.hpp"
#include "reports/html/alignment.hpp"

namespace bisectd::driver::commands {

std::string align_text(const align::Comparison& comparison);
/// For align.html. `title`: of what.
reports::Alignment align_page(const align::Comparison& comparison, const std::string& title);
/// "agrees", "deviates" or "unequal".
const char* align_verdict(const align::Comparison& comparison);
nlohmann::ordered_json align_json(const align::Comparison& comparison);

}  // namespace bisectd::driver::commands
