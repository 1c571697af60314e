#include "driver/read/tail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace bisectd::driver::read {
namespace {

/// Fits the second-level cache, so that the passes over a piece that follow do not wait for memory.
constexpr std::size_t kPieceBytes = 256 * 1024;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), "cannot read " + path.string());
}

}  // namespace

Tail::~Tail() { close(); }

Tail::Tail(Tail&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), offset_(other.offset_) {}

bool Tail::open() {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0 && errno != ENOENT) fail(path_);
  return descriptor_ >= 0;
}

void Tail::reopen() {
  struct stat ours {};
  struct stat named {};
  const int anew = descriptor_ < 0 ? -1 : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (anew < 0) return;
  if (::fstat(anew, &named) == 0 && ::fstat(descriptor_, &ours) == 0 && named.st_ino == ours.st_ino &&
      named.st_dev == ours.st_dev)
    ::close(std::exchange(descriptor_, anew));
  else ::close(anew);  // read_new sees that it is another file
}

void Tail::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool Tail::read_new(const std::function<void(std::string_view)>& take,
                    const std::function<void(std::string_view)>& starts_again) {
  if (descriptor_ < 0 && !open()) return false;
  struct stat now {};
  struct stat named {};
  if (::fstat(descriptor_, &now) != 0) fail(path_);
  // A path that leads nowhere at the moment is not a replacement: the open file may still grow.
  if (::stat(path_.c_str(), &named) == 0 && (named.st_ino != now.st_ino || named.st_dev != now.st_dev)) {
    close();
    if (!open()) return false;
    if (::fstat(descriptor_, &now) != 0) fail(path_);
    offset_ = 0;
    starts_again("was replaced by another file");
  } else if (static_cast<std::uint64_t>(now.st_size) < offset_) {
    offset_ = 0;
    starts_again("became shorter");
  }
  // Up to the size seen at the beginning: who writes faster than we read must not keep us here.
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (offset_ >= size) return false;
  const auto piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  while (offset_ < size) {
    const ssize_t got = ::pread(descriptor_, piece.get(), kPieceBytes, static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_);
    if (got == 0) break;
    offset_ += static_cast<std::uint64_t>(got);
    take({piece.get(), static_cast<std::size_t>(got)});
  }
  return true;
}

}  // namespace bisectd::driver::read
