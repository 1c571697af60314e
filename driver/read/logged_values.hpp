// What a pattern says a log holds: settings that a training prints. Knows no metrics.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace bisectd::driver::read {

/// The different texts of the pattern's group `value` in these files, in the order they first come, at most `most`;
/// with `after`, a pattern too, only behind the first line of each file that it fits. A file that is not there holds
/// nothing. Throws std::invalid_argument for a pattern that cannot work, std::system_error for a file that cannot be read.
std::vector<std::string> logged_values(std::span<const std::filesystem::path> files, const std::string& pattern,
                                       std::size_t most, const std::string& after = "");

}  // namespace bisectd::driver::read
