// A file that a person names for what a command writes, say with `report -o`.
#pragma once

#include <filesystem>
#include <string_view>

namespace bisectd::driver::commands {

/// Before anything is run for it. Throws UsageError where it is a folder, belongs to a run (its reports may be replaced), is
/// there already and `replace` does not hold, or cannot be written. Makes its folder.
void check_output_file(const std::filesystem::path& file, bool replace);

/// Durably, whole or not at all. What a link leads to is replaced, not the link; into a device or a pipe (/dev/stdout) it is
/// written. Throws std::system_error.
void write_output_file(const std::filesystem::path& file, std::string_view content);

}  // namespace bisectd::driver::commands
