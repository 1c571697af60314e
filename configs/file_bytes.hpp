// The bytes of a file that a person wrote. Knows nothing of what is in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace bisectd::configs {

constexpr std::size_t kLargestFile_bytes = 1024 * 1024;

/// At most one byte more than a file may have, so that a device file cannot fill the memory. std::system_error if it
/// cannot be read.
std::string read_bytes(const std::filesystem::path& file);

}  // namespace bisectd::configs
