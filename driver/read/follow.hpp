// Follows one growing file of lines: hands on what is new since the last call. Knows nothing of what the lines say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "driver/read/line.hpp"
#include "driver/read/tail.hpp"

namespace bisectd::driver::read {

/// Puts whole lines together from bytes as they arrive; gives the same lines however the bytes are cut.
class LineAssembler {
 public:
  /// Hands on every line that is whole by now; keeps the rest. Views given to `take` die with the call.
  void feed(std::string_view bytes, const TakeBlock& take);

  /// Hands on what is left, as a torn line.
  void finish(const TakeBlock& take);

  /// Lines that were longer than kLongestLine.
  std::int64_t clipped() const { return clipped_; }

 private:
  void keep(std::string_view start_of_line, const TakeBlock& take);
  void emit(std::string_view text, const TakeBlock& take);

  std::string kept_;              ///< start of a line whose end has not come; at most kLongestLine bytes
  bool kept_is_clipped_ = false;  ///< more of that line was thrown away
  std::int64_t next_line_ = 1;
  std::int64_t clipped_ = 0;
};

class Follower {
 public:
  /// The file need not exist yet.
  explicit Follower(std::filesystem::path path) : tail_(std::move(path)) {}

  /// Hands on all lines that are whole by now. True if the file had anything new, be it half a line. A file that became
  /// shorter or was replaced is read from its start, with a note. Throws std::system_error if it cannot be read.
  bool read_new(const TakeBlock& take);

  /// To be called once nothing is written any more: reads the rest, then hands on a last line without its end as torn.
  void finish(const TakeBlock& take);

  const std::filesystem::path& path() const { return tail_.path(); }

  /// Lines that were longer than kLongestLine.
  std::int64_t clipped_lines() const { return clipped_before_ + assembler_.clipped(); }

  /// What happened to the file, for people.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  Tail tail_;
  LineAssembler assembler_;
  std::int64_t clipped_before_ = 0;  ///< by assemblers of the file's earlier content
  std::vector<std::string> notes_;
};

}  // namespace bisectd::driver::read
