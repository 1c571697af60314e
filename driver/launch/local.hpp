// Jobs on this machine. Ends whole process trees, also what left its group and session. One thread, one event loop:
// nothing here is called from two threads.
#pragma once

#include <memory>

#include "driver/launch/launcher.hpp"

namespace bisectd::driver::launch {

/// Runs jobs as children of this process. At most one exists at a time: it makes this process the subreaper of
/// everything it starts, takes SIGINT, SIGTERM and SIGHUP (one that is ignored stays ignored: nohup), and reaps all
/// children that this process did not have before.
///
/// How a job ends:
/// - By itself: it is reported as soon as its first process has ended and nothing of it is left. What is left gets
///   half a second to end by itself (`exec > >(tee log)` still writes the last lines then), then SIGKILL, and `message`
///   names it.
/// - By stop(): SIGTERM to all its processes, SIGKILL to what is left after `grace`.
/// - A process that outlives SIGKILL for 5 s is stuck in a driver: the job is reported all the same, as `unknown` when it
///   is its first process, with a `message` that names it.
///
/// What is left of a job is found by kinship, not by search. Whoever loses its parent becomes our child (subreaper);
/// so every living process of an ended job is a direct child of ours or stands below one, whatever session, group or
/// environment it has, and one whose forking parent still lives hides behind that parent. With no other child there is
/// nothing left: one system call. When other jobs run, a child belongs to the job in its BISECTD_ATTEMPT or session;
/// one that shows neither (its environment wiped, or written over by setproctitle) could belong to any, and is ended
/// when the last job ends. Processes that fork and leave faster than they can be looked at are met by their group. Out of
/// reach are only those of them that change their session each time, and what others start on request: a daemon, a
/// container engine.
class LocalLauncher final : public Launcher {
 public:
  LocalLauncher();

  /// Kills what still runs.
  ~LocalLauncher() override;

  /// The id must not be that of a job still running.
  void start(const Job& job) override;

  /// Each signal that arrives ends one wait. The second one also cuts short the grace of what is being stopped.
  std::vector<Ended> wait(std::chrono::milliseconds at_most) override;

  void stop(JobId id) override;

  /// Of its first process and those below it; what several share counts once.
  std::optional<std::uint64_t> memory_bytes(JobId id) const override;
  JobStatus status(JobId id) const override;
  int signal_number() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bisectd::driver::launch
