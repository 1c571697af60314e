// Follows one growing file, its bytes or its lines: hands on what is new since the last call. Knows nothing of what the
// lines say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/read/line.hpp"

namespace bisectd::driver::read {

/// Reads what was added to a growing file. Bytes only: knows neither lines nor records.
class Tail {
 public:
  /// The file need not exist yet.
  explicit Tail(std::filesystem::path path) : path_(std::move(path)) {}
  ~Tail();
  Tail(Tail&& other) noexcept;
  Tail& operator=(Tail&&) = delete;

  /// Hands on the bytes that are there by now and were not yet handed on, in pieces; false if there are none. A file
  /// that became shorter or was replaced by another is read from its start, after `starts_again` was told what
  /// happened. Throws std::system_error if the file is there and cannot be read.
  bool read_new(const std::function<void(std::string_view bytes)>& take,
                const std::function<void(std::string_view what)>& starts_again);

  /// Opens the file anew if it is still the same one. On NFS a file that another machine wrote and closed is seen whole only
  /// by who opens it after that (close-to-open consistency): what was open before may show an older size for up to a minute.
  void reopen();

  const std::filesystem::path& path() const { return path_; }

 private:
  bool open();
  void close();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t offset_ = 0;  ///< bytes handed on so far
};

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
