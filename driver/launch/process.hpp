// One child process: started detached from everything of ours, awaited without blocking. The one place that uses
// Boost.Process v2, with the traps of Boost 1.81 disarmed. Knows no jobs, graces or tags.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace bisectd::driver::launch {

/// What to start. Nothing is inherited but what is named here.
struct Command {
  std::vector<std::string> arguments;  ///< argv, at least one; [0] is looked up as execvp(3) would, in PATH below
  std::map<std::string, std::string> environment;
  std::filesystem::path directory;    ///< working directory
  std::filesystem::path stdout_file;  ///< created or truncated, written in append mode; may be the same as stderr_file
  std::filesystem::path stderr_file;
};

/// Why a command did not start.
struct NotStarted {
  std::string why;        ///< ready to be shown
  bool shortage = false;  ///< of processes, memory or descriptors, which says nothing of the command
};

/// How a process ended: exit code, or number of the signal that killed it.
struct ExitStatus {
  bool signalled = false;
  int code = 0;
};

/// A running child. It leads a session and process group of its own (pgid = sid = pid), reads /dev/null, has only the
/// descriptors 0, 1 and 2, default signal actions, an empty signal mask, no core dumps, and is killed when the thread
/// that spawned it ends (PR_SET_PDEATHSIG): spawn from the main thread only.
class Process {
 public:
  /// Starts `command`; once it returns, the program runs (or has run). `context` must outlive the process.
  static tl::expected<std::unique_ptr<Process>, NotStarted> spawn(boost::asio::io_context& context, const Command& command);

  /// Kills the group of a process that still runs and forgets it; does not wait.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const;

  using Handler = std::function<void(const tl::expected<ExitStatus, std::string>&)>;
  /// Calls `handler` from the context's loop once the process has ended, and reaps it. Call it once. The handler may
  /// not destroy the process.
  void async_wait(Handler handler);

  /// Sends a signal to every process of the group. False when there is none left.
  bool signal_group(int signal_number) const;

 private:
  class Impl;
  explicit Process(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Makes this process fit to own children: 0, 1 and 2 are open (else a pipe of ours could become a child's stdout) and
/// SIGCHLD is not ignored (else the kernel reaps children and their exit codes are lost).
void prepare_to_own_processes();

}  // namespace bisectd::driver::launch
