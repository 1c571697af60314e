#include "driver/read/beginning.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace bisectd::driver::read {

std::string beginning_of(const std::filesystem::path& log) {
  constexpr std::size_t kLookedAt = 4 * 1024 * 1024;
  std::ifstream in(log, std::ios::binary);
  if (!in) throw std::system_error(errno, std::generic_category(), log.string());
  std::string text(kLookedAt, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace bisectd::driver::read
