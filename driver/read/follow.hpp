// Follows one growing file of lines: hands on what is new since the last call. Knows nothing of what the lines say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "driver/read/assemble.hpp"
#include "driver/read/tail.hpp"

namespace bisectd::driver::read {

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
