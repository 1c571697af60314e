// A launcher without processes and without time: each job does what its script says, on a clock that only wait() moves.
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/launch/launcher.hpp"

namespace bisectd::tests {

namespace launch = driver::launch;

/// What one job does.
struct Script {
  int steps = 10;                          ///< logged when it starts: "step N loss 1"
  std::optional<int> ends_after_ms = 100;  ///< by itself; never, if absent
  launch::Ended::How how = launch::Ended::How::exited;
  int code = 0;
  std::optional<int> leaves_on_term_ms = 0;  ///< so long after stop(), killed by SIGTERM; never, if absent
  std::string says = {};                     ///< on stderr
};

class FakeLauncher final : public launch::Launcher {
 public:
  std::function<Script(const launch::Job&)> script = [](const launch::Job&) { return Script{}; };
  std::vector<std::string> started;  ///< tags, in order
  std::size_t most_at_once = 0;

  /// A signal reaches bisectd so long after now.
  void signal_after(int ms, int number) { signal_ = {now_ + std::chrono::milliseconds(ms), number}; }

  launch::Clock::time_point now() const override { return now_; }

  void start(const launch::Job& job) override {
    started.push_back(job.tag);
    const Script does = script(job);
    std::ofstream log(job.stdout_file);
    for (int step = 1; step <= does.steps; ++step) log << "step " << step << " loss 1\n";
    std::ofstream(job.stderr_file) << does.says;
    Running running{.script = does};
    if (does.ends_after_ms) running.ends = now_ + std::chrono::milliseconds(*does.ends_after_ms);
    running_[job.id] = running;
    most_at_once = std::max(most_at_once, running_.size());
  }

  std::vector<launch::Ended> wait(std::chrono::milliseconds at_most) override {
    auto until = now_ + at_most;
    if (signal_ && signal_number_ == 0) until = std::min(until, signal_->first);
    for (const auto& [id, running] : running_)
      if (running.ends) until = std::min(until, *running.ends);
    now_ = std::max(now_, until);
    if (signal_ && signal_->first <= now_) signal_number_ = signal_->second;
    std::vector<launch::Ended> ended;
    for (auto running = running_.begin(); running != running_.end();) {
      if (!running->second.ends || *running->second.ends > now_) {
        ++running;
        continue;
      }
      const bool stopped = running->second.stopped;
      ended.push_back({.id = running->first,
                       .how = stopped && running->second.script.how != launch::Ended::How::lost
                                  ? launch::Ended::How::signalled
                                  : running->second.script.how,
                       .code = stopped ? 15 : running->second.script.code,
                       .stopped = stopped});
      running = running_.erase(running);
    }
    return ended;
  }

  void stop(launch::JobId id) override {
    Running& running = running_.at(id);
    running.stopped = true;
    running.ends.reset();
    if (running.script.leaves_on_term_ms) running.ends = now_ + std::chrono::milliseconds(*running.script.leaves_on_term_ms);
  }

  int signal_number() const override { return signal_number_; }

 private:
  struct Running {
    Script script;
    std::optional<launch::Clock::time_point> ends;
    bool stopped = false;
  };
  launch::Clock::time_point now_{std::chrono::hours{1}};
  std::map<launch::JobId, Running> running_;
  std::optional<std::pair<launch::Clock::time_point, int>> signal_;
  int signal_number_ = 0;
};

}  // namespace bisectd::tests
