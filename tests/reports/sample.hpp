// Records that the tests of the renderers share.
#pragma once

#include <string>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports::sample {

/// 1 alone and 2 with 3 only together are guilty among 6; everything is proved, nothing is left open.
Record culprits();

/// The subject as it is agrees with the reference.
Record aligned();

/// In the middle of the night: as-is failed, everything passed, one search trial is running.
Record unfinished();

/// Text that acts: terminal escapes, markup, shell, bidi controls, broken UTF-8.
const std::vector<std::string>& hostile();

/// culprits() with `text` in every place that may hold foreign text.
Record with(const std::string& text);

}  // namespace bisectd::reports::sample
