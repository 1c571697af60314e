#include "driver/read/assemble.hpp"

#include <algorithm>
#include <cstddef>

namespace bisectd::driver::read {
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
  if (!kept_.empty()) {
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
  const std::size_t whole = through_last_end(bytes);
  feed_whole_lines(bytes.substr(0, whole), take);
  keep(bytes.substr(whole), take);
}

// Invariant: `text` begins at the start of a line and ends with a line end. As long as each window of kLongestLine + 1
// bytes holds a line end, no line is too long and the text goes on as it is.
void LineAssembler::feed_whole_lines(std::string_view text, const TakeBlock& take) {
  std::size_t good = 0;  // bytes from the start known to be lines of a right length
  while (good < text.size()) {
    const std::size_t ends = through_last_end(text.substr(good, kLongestLine + 1));
    good += ends;
    if (ends > 0) continue;
    if (good > 0) emit(text.substr(0, good), take);
    text.remove_prefix(good);
    good = 0;
    if (const std::size_t back = through_last_return(text.substr(0, kLongestLine)); back > 0) {
      emit(std::string(text.substr(0, back)) + '\r', take);
      text.remove_prefix(back);
      continue;
    }
    const std::size_t end = first_end(text);
    ++clipped_;
    emit(std::string(text.substr(0, kLongestLine)) + text[end], take);
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) emit(text, take);
}

void LineAssembler::finish(const TakeBlock& take) {
  if (kept_.empty()) return;
  clipped_ += kept_is_clipped_;
  take({.text = kept_, .first_line = next_line_, .torn = true});
  kept_.clear();
  kept_is_clipped_ = false;
}

}  // namespace bisectd::driver::read
