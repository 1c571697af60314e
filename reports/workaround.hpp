// workaround.sh: what a user sources before the training until the operator is mended.
#pragma once

#include <string>
#include <vector>

#include "reports/record.hpp"

namespace bisectd::reports {

/// The shell statements of the fix, one each: `export A='1'`, `unset B`; a comment for what no shell can set.
std::vector<std::string> workaround_statements(const Record& record);
/// What to change in configuration files of the training's own, "npu.yaml: training.fused: false".
std::vector<std::string> workaround_config_texts(const Record& record);

/// A file for `.` in any POSIX shell: says where it comes from, exports and unsets the variables of the fix, and lists
/// in a comment the arguments that a shell cannot add. Values arrive byte for byte. Changes nothing unless the outcome
/// is `culprits`.
std::string to_workaround(const Record& record);

}  // namespace bisectd::reports
