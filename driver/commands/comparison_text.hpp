// A table of verdicts as text for people and as JSON for programs. Judges nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "driver/commands/log_read.hpp"
#include "driver/judge/comparison.hpp"

namespace bisectd::driver::commands {

/// One line per log that was read, one per verdict, what is odd about the references, and with `plot` the difference of each
/// candidate over the run. File names and log lines are made harmless.
std::string comparison_text(const judge::ComparisonTable& table, const configs::Acceptance& accept,
                            const std::vector<LogRead>& read, bool plot, bool colour);

/// The same with all numbers; differences are fractions.
nlohmann::json comparison_json(const judge::ComparisonTable& table, const configs::Acceptance& accept,
                               const std::vector<LogRead>& read);

}  // namespace bisectd::driver::commands
