// The bytes of a file. Knows nothing of what is in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace bisectd::configs {

constexpr std::size_t kLargestFile_bytes = 1024 * 1024;

/// Of a file that a person wrote: at most one byte more than it may have, so that a device file cannot fill the memory.
/// std::system_error if it cannot be read.
std::string read_bytes(const std::filesystem::path& file);

/// What is in a file, or its first `most` bytes; nothing if it cannot be read.
std::string bytes_in(const std::filesystem::path& file, std::size_t most = std::string::npos);

}  // namespace bisectd::configs
