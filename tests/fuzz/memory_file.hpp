// A file that is only in memory, for readers that take a name.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("fuzzed", MFD_CLOEXEC)), name_("/proc/self/fd/" + std::to_string(file_)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }

  /// Its name, once it holds this and nothing else.
  const std::string& with(std::string_view content) {
    if (file_ < 0 || ftruncate(file_, 0) != 0 ||
        pwrite(file_, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size()))
      std::abort();
    return name_;
  }

 private:
  const int file_;
  const std::string name_;
};
