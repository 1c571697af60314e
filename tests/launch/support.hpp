// What the tests of this room share: a folder that goes away, jobs with a shell in them, and forked test processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "driver/launch/local.hpp"

namespace support {

namespace launch = bisectd::driver::launch;
using namespace std::chrono_literals;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "bisectd-launch-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::string read(const std::string& name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path write(const std::string& name, const std::string& text, bool executable = false) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    if (executable) std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// A job whose output goes to `out` and `err` in the folder, tagged with the folder's name.
inline launch::Job job(const Folder& folder, std::vector<std::string> command, launch::JobId id = 1) {
  launch::Job made;
  made.id = id;
  made.command = std::move(command);
  made.environment = {{"PATH", "/usr/bin:/bin"}};
  made.directory = folder.path();
  made.stdout_file = folder / ("out" + (id == 1 ? "" : std::to_string(id)));
  made.stderr_file = folder / ("err" + (id == 1 ? "" : std::to_string(id)));
  made.tag = folder.path().filename().string() + "/" + std::to_string(id);
  return made;
}

inline launch::Job bash(const Folder& folder, const std::string& script, launch::JobId id = 1) {
  return job(folder, {"bash", "-c", script}, id);
}

/// Waits until the next job ends, at most 10 s. For tests where only one can.
inline launch::Ended next_end(launch::Launcher& launcher) {
  for (const auto until = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < until;)
    if (auto ended = launcher.wait(100ms); !ended.empty()) return ended.front();
  return {};
}

inline launch::Ended run(launch::Launcher& launcher, const launch::Job& what) {
  launcher.start(what);
  return next_end(launcher);
}

/// Waits until `condition` holds, at most 5 s.
inline bool eventually(const std::function<bool()>& condition) {
  for (const auto until = std::chrono::steady_clock::now() + 5s; std::chrono::steady_clock::now() < until; ::usleep(1000))
    if (condition()) return true;
  return false;
}

/// R, S, D, T, Z, ... as ps shows it; X for a process that does not exist.
inline char state_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bracket = text.rfind(')');
  return bracket == std::string::npos ? 'X' : text.at(bracket + 2);
}

inline bool is_alive(pid_t pid) { return state_of(pid) != 'X' && state_of(pid) != 'Z'; }

/// The number that a script wrote to a file of the folder, once it is there; 0 if it never comes.
inline pid_t pid_in(const Folder& folder, const std::string& name) {
  std::string text;
  eventually([&] { return (text = folder.read(name)).ends_with('\n'); });
  return std::atoi(text.c_str());
}

/// Runs `body` in a forked process and returns its exit code, or 128 + signal. For what changes a whole process:
/// limits, signal actions, closed descriptors.
inline int in_child(const std::function<int()>& body) {
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

}  // namespace support
