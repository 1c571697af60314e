// What travels between the stages of this room: blocks of whole lines, and single lines; and foreign text made harmless.
// Owns no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace bisectd::driver::read {

/// A longer line is cut to this many bytes; what lies beyond is never looked at.
inline constexpr std::size_t kLongestLine = 64 * 1024;

/// What kinds of bytes a text holds, found in one pass: a log's every byte is looked at here, only few are looked at again.
/// As little is known as this where nobody looked.
struct Contents {
  bool is_plain = false;      ///< ASCII without an escape: cleaned() would leave it as it is, however it is cut into lines
  bool has_returns = true;    ///< '\r'
  std::int64_t newlines = 0;  ///< number of '\n'
};

Contents contents_of(std::string_view text);

/// Consecutive lines, each with its end ('\n' or '\r') and at most kLongestLine bytes before it. Only a torn block's
/// one line has no end: the file ended in the middle of it, so that its last word may be cut short.
struct Block {
  std::string_view text;
  std::int64_t first_line = 1;  ///< number of the first line; only '\n' counts, as in an editor
  bool torn = false;
  std::string_view source = {};  ///< name of the file, for messages
  Contents contents = {};
};

using TakeBlock = std::function<void(const Block&)>;

/// One line without its end, cleaned: no colour codes, valid UTF-8, not empty.
struct Line {
  std::string_view text;
  const Block* block = nullptr;  ///< where it was found
  std::size_t offset = 0;        ///< in the block's text

  /// Counted only when asked for: few lines are wrong, and only those are named.
  std::int64_t number() const;

  /// Whether `part`, a view into `text`, may be cut short.
  bool cut_short(std::string_view part) const {
    return block->torn && part.data() + part.size() == text.data() + text.size();
  }
};

using TakeLine = std::function<void(const Line&)>;

/// Cleans each line of a block and hands it on. Empty lines are left out.
void for_each_line(const Block& block, const TakeLine& take);

/// The text itself if it is clean already, else a clean copy in `scratch`: without terminal escape sequences (ECMA-48),
/// each byte that is not UTF-8 replaced by U+FFFD. Other control characters stay.
std::string_view cleaned(std::string_view text, std::string& scratch);

/// Each byte that is not UTF-8 replaced by U+FFFD; nothing else is changed.
std::string with_valid_characters(std::string_view text);

/// Cleaned, without any control character, and at most `most_bytes` long (cut between characters).
std::string for_display(std::string_view text, std::size_t most_bytes);

}  // namespace bisectd::driver::read
