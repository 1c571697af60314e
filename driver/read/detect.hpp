// Guesses the format of a log that nobody described. Knows only the table of formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace bisectd::driver::read {

/// The format in which `metric` is found in a file, or in a folder of event files: by its name for event files, else
/// the one that reads the most values from its first 4 MiB without a wrong line, or else with some: whoever reads the
/// file by it will name them. Nothing if none reads a value, or two that differ read as many. `step_key`: for JSON lines
/// and CSV. Throws std::system_error if the file cannot be read.
std::optional<std::string> detect_format(const std::filesystem::path& path, const std::string& metric,
                                         const std::string& step_key);

}  // namespace bisectd::driver::read
