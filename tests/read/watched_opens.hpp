// Which files of a folder are opened and closed, by whomever.
#pragma once

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>

namespace bisectd::tests {

class WatchedOpens {
 public:
  explicit WatchedOpens(const std::filesystem::path& folder) : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    ::inotify_add_watch(queue_, folder.c_str(), IN_OPEN | IN_CLOSE);
  }
  ~WatchedOpens() { ::close(queue_); }
  WatchedOpens(const WatchedOpens&) = delete;
  WatchedOpens& operator=(const WatchedOpens&) = delete;

  /// What happened to its files since the last call, in order: "open ", "close ".
  std::string seen() const {
    std::string all;
    std::array<char, 4096> bytes;
    for (ssize_t got = 0; (got = ::read(queue_, bytes.data(), bytes.size())) > 0;)
      for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
        inotify_event event{};
        std::memcpy(&event, bytes.data() + at, sizeof event);
        if ((event.mask & IN_ISDIR) == 0) all += (event.mask & IN_OPEN) != 0 ? "open " : "close ";
        at += sizeof event + event.len;
      }
    return all;
  }

 private:
  int queue_;
};

}  // namespace bisectd::tests
