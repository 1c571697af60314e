// Starts attempts and tells how they ended. The only room that starts anything; it knows neither suspects nor curves.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bisectd::driver::launch {

using JobId = std::uint64_t;
class Scheduler;

/// One process tree to start.
struct Job {
  JobId id = 0;
  std::vector<std::string> command;                ///< argv, never through a shell; [0] is looked up in PATH below
  std::map<std::string, std::string> environment;  ///< the whole environment, nothing is inherited
  std::filesystem::path directory;                 ///< working directory, exists
  std::filesystem::path stdout_file;               ///< created or truncated
  std::filesystem::path stderr_file;
  std::string tag;                             ///< value of BISECTD_ATTEMPT, by which strays are found
  std::chrono::milliseconds grace{10'000};     ///< between TERM and KILL
  std::shared_ptr<const Scheduler> scheduler;  ///< submits it as a job of a batch system; absent: it runs here
  std::string device_variable;                 ///< in such a job: gets the numbers of its devices; empty: none
  bool adopt = false;                          ///< such a job was submitted by an earlier bisectd, or lost with it
  bool logged = true;                          ///< whoever starts it does not say so himself
};

/// What a job is called in the log: its tag without the run's. "0007-1" is attempt 1 of trial 7.
std::string label_of(const Job& job);

/// How a job ended.
struct Ended {
  JobId id = 0;
  /// lost: a node, the scheduler or somebody took it away, which says nothing of the job. unknown: it ended, nobody knows
  /// how.
  enum class How { exited, signalled, not_started, lost, unknown } how = How::exited;
  int code = 0;                           ///< exit code or signal number
  bool stopped = false;                   ///< we asked it to stop
  std::string message;                    ///< why it did not start, which node was lost, what it left running; else empty
  std::chrono::milliseconds duration{0};  ///< since it began to run
  std::string place;                      ///< of a batch job: its devices and node, "0,1 on node17"
};

/// "exited 0", "killed by SIGSEGV", "lost: node17 is down"; of one that exited, its message is not in it.
std::string how_it_ended(const Ended& ended);

/// A job that has not ended.
struct JobStatus {
  bool waits = false;                ///< for its scheduler, or for this machine to start it
  std::string text;                  ///< why it waits; else the place of a batch job
  std::chrono::milliseconds ran{0};  ///< since it began to run
};

using Clock = std::chrono::steady_clock;

/// For hours no process could be started on this machine.
class NothingStarts : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A place where jobs run. Virtual because Slurm and the tests' doubles are launchers too.
class Launcher {
 public:
  virtual ~Launcher() = default;

  /// The time by which wait() waits.
  virtual Clock::time_point now() const { return Clock::now(); }

  /// Starts a job. A program that cannot be started is reported by wait() as not_started. Where this machine has no process,
  /// memory or descriptor left for it, the job waits and is tried again from time to time, which is said.
  virtual void start(const Job& job) = 0;

  /// Waits until at least one job ended, a signal arrived, or `at_most` has passed. Each job is reported once. Throws
  /// NothingStarts.
  virtual std::vector<Ended> wait(std::chrono::milliseconds at_most) = 0;

  /// Asks a job to end: TERM to its whole group, KILL after its grace, then every stray with its tag. It is then
  /// reported by wait() with `stopped`.
  virtual void stop(JobId id) = 0;

  /// Whether a job runs already.
  virtual JobStatus status(JobId) const { return {}; }

  /// What the processes of a running job take of this machine's memory; nothing where it runs elsewhere.
  virtual std::optional<std::uint64_t> memory_bytes(JobId) const { return std::nullopt; }

  /// The first of SIGINT, SIGTERM and SIGHUP that arrived; 0 before that. Each one that arrives ends one wait().
  virtual int signal_number() const = 0;
};

}  // namespace bisectd::driver::launch
