#include "driver/keep/lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>

namespace bisectd::driver::keep {
namespace {

constexpr int kTries = 20;
constexpr std::chrono::milliseconds kBetweenTries{50};

std::string holder_in(int descriptor) {
  std::string holder(32, '\0');
  const ssize_t n = ::pread(descriptor, holder.data(), holder.size(), 0);
  holder.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return holder;
}

Descriptor opened(const std::filesystem::path& file) {
  return Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
}

}  // namespace

Lock::Lock(const std::filesystem::path& folder) : descriptor_(opened(folder / "lock")) {
  const std::filesystem::path file = folder / "lock";
  if (!descriptor_) throw std::system_error(errno, std::generic_category(), file.string());
  // A bisectd killed while it started an attempt leaves a child that holds the lock until its exec: wait that out.
  bool locked = false;
  for (int tries = 0; !(locked = ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0) && tries < kTries; ++tries)
    std::this_thread::sleep_for(kBetweenTries);
  if (!locked) {
    const std::string holder = holder_in(descriptor_.get());
    throw Locked(fmt::format("{}: another bisectd (process {}) is driving this run", folder.string(),
                             holder.empty() ? "unknown" : holder));
  }
  const std::string self = std::to_string(::getpid());
  if (::ftruncate(descriptor_.get(), 0) != 0 || ::pwrite(descriptor_.get(), self.data(), self.size(), 0) < 0)
    throw std::system_error(errno, std::generic_category(), file.string());
}

WriteLock::WriteLock(const std::filesystem::path& file) : descriptor_(opened(file)) {
  int taken = -1;
  while (descriptor_ && (taken = ::flock(descriptor_.get(), LOCK_EX)) != 0 && errno == EINTR) continue;
  if (taken != 0) throw std::system_error(errno, std::generic_category(), file.string());
}

std::optional<int> driver_of(const std::filesystem::path& folder) {
  const Descriptor descriptor(::open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor) return std::nullopt;
  // A shared lock for a moment only: a bisectd that starts now tries again.
  const bool held = ::flock(descriptor.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const int process = std::atoi(holder_in(descriptor.get()).c_str());
  return held ? std::optional(process) : std::nullopt;
}

}  // namespace bisectd::driver::keep
