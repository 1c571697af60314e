#include "driver/trial/run_tag.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <chrono>

namespace bisectd::driver {

std::string make_run_tag(const std::filesystem::path& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string unique = fmt::format("{} {} {}", folder.string(), now, ::getpid());
  return fmt::format("{:016x}", XXH3_64bits(unique.data(), unique.size()));
}

}  // namespace bisectd::driver
