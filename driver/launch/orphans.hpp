// Children of this process that lead no job: they lost their parent, and fell to us as the subreaper. Tells whose they
// are. Knows jobs only as a tag and the pid of their leader; ends nothing.
#pragma once

#include <sys/types.h>

#include <map>
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
    std::vector<pid_t> own;      ///< live; the job's, or of a job that is gone
    std::vector<pid_t> groups;   ///< process groups in which such were seen and which have members: what forks and leaves
                                 ///< faster than we look is met nowhere else
    std::vector<pid_t> unknown;  ///< live; shows neither tag nor session of a job: could be of any that runs
    bool any_died = false;       ///< of its own, since the last look: what they forked may not have been seen

    bool lives() const { return !own.empty() || !groups.empty(); }
  };

  /// The orphans that `job` may have to answer for. `jobs`: every job that is not reported yet, `job` included. The
  /// dead among all orphans are reaped. One system call when this process has no child at all.
  Left of(const JobIdentity& job, const std::vector<JobIdentity>& jobs);

  /// Reaps dead orphans.
  void reap(const std::vector<JobIdentity>& jobs) { (void)collect(jobs); }

  /// Leaves a process out from now on.
  void give_up(pid_t pid) { given_up_.insert(pid); }

 private:
  struct Orphan {
    pid_t pid, group, session;
    bool dead;  ///< was, and is reaped by now
  };
  std::vector<Orphan> collect(const std::vector<JobIdentity>& jobs);

  std::set<pid_t> strangers_, given_up_;
  std::map<pid_t, std::string> groups_;  ///< that have members, as far as they were seen, with the tag of their job
  bool adopts_foreigners_ = false;       ///< orphans of strangers; as process 1 of a container, anybody's
};

}  // namespace bisectd::driver::launch
