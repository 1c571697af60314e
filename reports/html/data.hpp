// What the charts of report.html draw, as JSON for its script.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// One JSON object, safe inside a script element:
///   {"metric", "target", "charts": [{"id", "lines": [{"name", "steps", "values"}]}],
///    "timeline": [{"trial", "device", "verdict", "start", "end"}],
///    "ladders": [{"values", "deltas", "verdicts"}], "trials": [{"number", "steps", "values"}]}
/// Thinned and rounded to six digits; a value that is not finite is null. Charts without lines are left out.
std::string chart_data(const Record& record);

}  // namespace bisectd::reports
