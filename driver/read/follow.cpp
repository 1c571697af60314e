#include "driver/read/follow.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

namespace bisectd::driver::read {

bool Follower::read_new(const TakeBlock& take) {
  return tail_.read_new(
      [&](std::string_view bytes) { assembler_.feed(bytes, take); },
      [&](std::string_view what) {
        clipped_before_ += std::exchange(assembler_, {}).clipped();
        notes_.push_back(fmt::format("{} {} and is read from its start again", tail_.path().filename().string(), what));
      });
}

void Follower::finish(const TakeBlock& take) {
  tail_.reopen();
  while (read_new(take)) {
  }
  assembler_.finish(take);
}
namespace {

/// Position of the first line end, or npos.
std::size_t first_end(std::string_view text) {
  const std::size_t newline = text.find('\n');
  return std::min(newline, text.substr(0, newline).find('\r'));
}

/// Bytes up to and including the last line end; 0 without one.
std::size_t through_last_end(std::string_view text) {
  const std::size_t through_newline = text.rfind('\n') + 1;  // npos + 1 is 0
  return through_newline + text.substr(through_newline).rfind('\r') + 1;
}

/// Bytes of whole lines up to one that is too long: as long as each window of kLongestLine + 1 bytes holds a line end, none
/// is, and they go on as they are.
std::size_t through_right_lines(std::string_view text) {
  std::size_t good = 0;
  while (const std::size_t ends = through_last_end(text.substr(good, kLongestLine + 1))) good += ends;
  return good;
}

/// Bytes up to where a progress bar last moves the cursor back; 0 without that. There a line that is too long is cut.
std::size_t through_last_return(std::string_view text) {
  const std::size_t moved = text.rfind("\b\b");
  return moved == std::string_view::npos ? 0 : moved + 2;
}

}  // namespace

void LineAssembler::emit(std::string_view text, const TakeBlock& take) {
  const Contents contents = contents_of(text);
  take({.text = text, .first_line = next_line_, .contents = contents});
  next_line_ += contents.newlines;
}

void LineAssembler::keep(std::string_view start_of_line, const TakeBlock& take) {
  while (true) {
    const std::size_t room = kLongestLine - kept_.size();
    kept_ += start_of_line.substr(0, room);
    if (start_of_line.size() <= room) return;
    start_of_line.remove_prefix(room);
    const std::size_t back = kept_is_clipped_ ? 0 : through_last_return(kept_);
    if (back == 0) {
      kept_is_clipped_ = true;
      return;
    }
    emit(kept_.substr(0, back) + '\r', take);
    kept_.erase(0, back);
  }
}

void LineAssembler::feed(std::string_view bytes, const TakeBlock& take) {
  while (true) {
    if (kept_.empty()) {
      const std::size_t whole = through_right_lines(bytes);
      if (whole > 0) emit(bytes.substr(0, whole), take);
      bytes.remove_prefix(whole);
    }
    const std::size_t end = first_end(bytes);
    keep(bytes.substr(0, end), take);
    if (end == std::string_view::npos) return;
    clipped_ += kept_is_clipped_;
    kept_ += bytes[end];
    emit(kept_, take);
    kept_.clear();
    kept_is_clipped_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LineAssembler::finish(const TakeBlock& take) {
  if (kept_.empty()) return;
  clipped_ += kept_is_clipped_;
  take({.text = kept_, .first_line = next_line_, .torn = true});
  kept_.clear();
  kept_is_clipped_ = false;
}
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
