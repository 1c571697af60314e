// Lines about what is going on, for stderr: plain lines everywhere, one redrawn status line on a terminal. Knows nothing
// of what they say.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace bisectd::driver {

class Progress {
 public:
  /// Writes to stderr; nothing at all when `quiet`.
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A line that stays.
  void line(const std::string& text);
  /// What runs now. On a terminal `status` (given the width) is redrawn in place when it changed, at most ten times a
  /// second; elsewhere `heartbeat` is a line once a minute, so that a CI system does not take a long attempt for a hang.
  void running(const std::function<std::string(std::size_t)>& status, const std::function<std::string()>& heartbeat);

 private:
  using Clock = std::chrono::steady_clock;
  void clear_status();

  bool quiet_;
  bool terminal_;
  std::string shown_;
  Clock::time_point last_status_ = Clock::now();
};

}  // namespace bisectd::driver
