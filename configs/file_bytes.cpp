#include "configs/file_bytes.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace bisectd::configs {

std::string read_bytes(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw std::system_error(EISDIR, std::generic_category(), file.string());
  std::ifstream input(file, std::ios::binary);
  if (!input) throw std::system_error(errno, std::generic_category(), file.string());
  std::string bytes(kLargestFile_bytes + 1, '\0');
  input.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(input.gcount()));
  return bytes;
}

}  // namespace bisectd::configs
