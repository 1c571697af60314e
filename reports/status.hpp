// What a run is doing now, as another process sees it, for `bisectd status`.
#pragma once

#include <optional>
#include <string>

#include "reports/record.hpp"

namespace bisectd::reports {

/// Several lines with their last newline. `process`: the bisectd that drives the run, if there is one; `by_hand`: it is a
/// command's own (`trial`, `record`), which has no answer and is not gone on with.
std::string status_text(const Record& record, std::optional<int> process, bool by_hand = false);

/// The same for scripts: one JSON document; `state` is running, interrupted, failed, finished or by-hand.
std::string status_json(const Record& record, std::optional<int> process, bool by_hand = false);

}  // namespace bisectd::reports
