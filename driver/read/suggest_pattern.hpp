// A pattern for a log whose format nobody knows. Knows only how people write a step and a loss on one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace bisectd::driver::read {

struct SuggestedPattern {
  std::string pattern;    ///< RE2 with the group `value`, and `step` where the line tells it
  std::int64_t line = 0;  ///< number of the first that it reads
};

/// From the first line of the first 4 MiB that holds `metric` as a word and a number behind it; where no line does, as the
/// end of a word, as in train_loss. Else nothing.
/// Without the step where it begins again, as one that counts within an epoch does: values are counted then.
/// Throws std::system_error if the file cannot be read.
std::optional<SuggestedPattern> suggest_pattern(const std::filesystem::path& log, const std::string& metric);

}  // namespace bisectd::driver::read
