// The first part of a log: the rest is like it, but the first lines may be anything.
#pragma once

#include <filesystem>
#include <string>

namespace bisectd::driver::read {

/// The first 4 MiB. Throws std::system_error if the file cannot be read.
std::string beginning_of(const std::filesystem::path& log);

}  // namespace bisectd::driver::read
