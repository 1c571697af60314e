#include "configs/file_bytes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace bisectd::configs {
namespace {

std::string read(std::ifstream input, std::size_t most) {
  std::string bytes;
  std::array<char, 64 * 1024> piece;
  while (input && bytes.size() < most) {
    input.read(piece.data(), static_cast<std::streamsize>(std::min(piece.size(), most - bytes.size())));
    bytes.append(piece.data(), static_cast<std::size_t>(input.gcount()));
  }
  return bytes;
}

}  // namespace

std::string read_bytes(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw std::system_error(EISDIR, std::generic_category(), file.string());
  std::ifstream input(file, std::ios::binary);
  if (!input) throw std::system_error(errno, std::generic_category(), file.string());
  return read(std::move(input), kLargestFile_bytes + 1);
}

std::string bytes_in(const std::filesystem::path& file, std::size_t most) {
  return read(std::ifstream(file, std::ios::binary), most);
}

}  // namespace bisectd::configs
