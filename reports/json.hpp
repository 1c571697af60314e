// report.json: the whole record for scripts. Its first keys are fixed for good; configs/schema/report.schema.json describes
// all.
#pragma once

#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// `schema_version` of report.json.
inline constexpr int kSchemaVersion = 1;

/// The record as one JSON document, one line per key and per element of a list of objects. ASCII only: everything else
/// is escaped, so that it can be shown on any terminal. NaN and infinities are the strings "nan", "inf" and "-inf",
/// because JSON has no numbers for them. `culprit_set` and `causes` are empty unless the outcome is `culprits`.
std::string to_json(const Record& record);

}  // namespace bisectd::reports
