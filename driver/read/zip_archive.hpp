// Reads the files in a zip archive, by minizip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace bisectd::driver::read {

class ZipArchive {
 public:
  /// Throws std::invalid_argument for what is no whole zip archive.
  explicit ZipArchive(const std::filesystem::path& file);

  /// The content of one file; nothing if there is none of that name. Throws std::invalid_argument "NAME: why" if it is
  /// damaged, encrypted, packed in a way other than deflate, or unpacks to more than `most` bytes.
  std::optional<std::string> content(const std::string& name, std::size_t most) const;

 private:
  struct Close {
    void operator()(void* archive) const;
  };
  std::unique_ptr<void, Close> archive_;
};

}  // namespace bisectd::driver::read
