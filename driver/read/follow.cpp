#include "driver/read/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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

}  // namespace bisectd::driver::read
