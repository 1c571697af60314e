// What was run once more at the end, to see whether a proved answer still holds.
#pragma once

#include <string>

#include "reports/words.hpp"

namespace bisectd::reports {

/// "Once more at the end of the run: ops:a neutralised: pass (trial 11), nothing neutralised: fail (trial 12)."; empty where
/// there were no controls.
std::string controls_text(const Record& record, Escape escape);

}  // namespace bisectd::reports
