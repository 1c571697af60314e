// Regular expressions of an experiment file, checked when it is loaded so that none can fail in the night.
#pragma once

#include <string>
#include <vector>

#include "configs/problems.hpp"
#include "configs/value.hpp"

namespace bisectd::configs {

/// The most memory one compiled pattern may take; readers use the same limit.
constexpr long kPatternMemory_bytes = 8 * 1024 * 1024;

/// Reads a pattern in RE2 syntax. A problem if it does not compile, lacks the group `required` (empty: none), or names a
/// group that is neither that nor one of `optional`.
Placed<std::string> read_pattern(const Value& value, const std::string& what, const std::string& required,
                                 const std::vector<std::string>& optional, Problems& problems);

}  // namespace bisectd::configs
