// Reads what was added to a growing file. Bytes only: knows neither lines nor records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

namespace bisectd::driver::read {

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

}  // namespace bisectd::driver::read
