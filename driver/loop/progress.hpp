// What runs now, on stderr: a few lines redrawn in place below those of the log on a terminal, elsewhere one once a minute.
// Knows nothing of what they say.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace bisectd::driver {

class Progress {
 public:
  /// One at a time. Shows nothing where stderr does not show the log's `info`.
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The lines of the live view, for a terminal of so many columns and rows.
  using LiveLines = std::function<std::vector<std::string>(std::size_t columns, std::size_t rows)>;
  /// What runs now. On a terminal `live` is redrawn in place when it changed, at most five times a second, less
  /// often where making it takes long; elsewhere `heartbeat` is a line once a minute, so that a CI system does not take a
  /// long attempt for a hang.
  void running(const LiveLines& live, const std::function<std::string()>& heartbeat);

 private:
  using Clock = std::chrono::steady_clock;
  void clear_live();
  void draw(const std::vector<std::string>& lines);

  bool quiet_;
  bool terminal_;
  std::vector<std::string> shown_;  ///< the lines at the bottom, the cursor is behind the last one
  std::vector<std::string> drawn_;  ///< those that were the last there
  Clock::time_point last_shown_ = Clock::now();
  Clock::time_point affordable_at_{};  ///< `live` again, by what it took the last time
};

}  // namespace bisectd::driver
