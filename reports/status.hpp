// What a run is doing now, as another process sees it, for `bisectd status`.
#pragma once

#include <optional>
#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// Several lines with their last newline. `process`: the bisectd that drives the run, if there is one.
std::string status_text(const Record& record, std::optional<int> process);

/// The same for scripts: one JSON document; `state` is running, interrupted, failed or finished.
std::string status_json(const Record& record, std::optional<int> process);

}  // namespace bisectd::reports
