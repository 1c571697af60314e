// Children of this process that lead no job: they lost their parent, and fell to us as the subreaper. Tells whose they
// are. Knows jobs only as a tag and the pid of their leader; ends nothing.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

namespace bisectd::driver::launch {

/// A job as its processes show it.
struct JobIdentity {
  std::string tag;
  pid_t leader = -1;         ///< its session too
  bool leader_lives = true;  ///< not reaped yet
};

class Orphans {
 public:
  /// Children that this process has now are strangers: never listed, never reaped.
  Orphans();

  struct Left {
    std::vector<pid_t> own;      ///< the job's, or of a job that is gone
    std::vector<pid_t> unknown;  ///< shows neither tag nor session of a job: could be of any that runs
  };

  /// The orphans that `job` may have to answer for. `jobs`: every job that is not reported yet, `job` included. The
  /// dead among all orphans are reaped. One system call when this process has no child at all.
  Left of(const JobIdentity& job, const std::vector<JobIdentity>& jobs);

  /// Reaps dead orphans.
  void reap(const std::vector<JobIdentity>& jobs) { (void)living(jobs); }

  /// Leaves a process out from now on.
  void give_up(pid_t pid) { given_up_.insert(pid); }

 private:
  std::vector<pid_t> living(const std::vector<JobIdentity>& jobs);

  std::set<pid_t> strangers_, given_up_;
  bool adopts_foreigners_ = false;  ///< orphans of strangers; as process 1 of a container, anybody's
};

}  // namespace bisectd::driver::launch
