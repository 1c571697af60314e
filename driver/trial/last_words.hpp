// What a training that died says of why, in its logs. Knows no metrics.
#pragma once

#include <filesystem>
#include <string>

namespace bisectd::driver {

/// The line of the exception that a Python program ended by (not that of a launcher such as torchrun, which only says that
/// its child failed), or the last line of stderr that names an error; with `died_at_once` also the last line of stderr,
/// whatever it says. For display; empty where there is none. Only the ends of files are looked at.
std::string last_words(const std::filesystem::path& stdout_file, const std::filesystem::path& stderr_file,
                       bool died_at_once);

}  // namespace bisectd::driver
