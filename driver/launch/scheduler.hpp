// What a batch system must say of itself so that jobs can be submitted to it: its commands and what they print. Runs nothing
// and keeps nothing: that is the same for all of them (queue.hpp). docs/launchers.md says what a further one needs.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace bisectd::driver::launch {

/// A job as the scheduler shows it.
struct SeenJob {
  /// gone: the scheduler or a node took it away, which says nothing of the training. ended: it came to an end by itself, or
  /// by its own fault, `text` says how.
  enum class Phase { waiting, running, ended, gone } phase = Phase::waiting;
  std::string id;
  std::string text;  ///< "PENDING: Resources", "NODE_FAIL on node17", for people
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// "Slurm", for people.
  virtual std::string name() const = 0;

  /// The argv that submits `script` under a name that no other job has; what the job prints goes to `folder`/job.log. The
  /// job is never started a second time. `only_test`: says whether it would be accepted, submits nothing.
  virtual std::vector<std::string> submit(const std::string& job_name, const std::filesystem::path& folder,
                                          const std::filesystem::path& script, bool only_test) const = 0;
  /// The job's id in what that printed; else why there is none.
  virtual tl::expected<std::string, std::string> id_in(const std::string& output) const = 0;

  /// The argv that tells of jobs by their names, in one call; those that ended not long ago are among them.
  virtual std::vector<std::string> query(std::span<const std::string> job_names) const = 0;
  /// By name, in what that printed; of several of one name one that runs, else one that waits. A job that is not in it is
  /// not known to the scheduler any more, or not yet.
  virtual std::map<std::string, SeenJob> jobs_in(const std::string& output) const = 0;

  /// The argv that ends jobs, whether they run or wait.
  virtual std::vector<std::string> cancel(std::span<const std::string> ids) const = 0;

  /// Lines of sh, run in the job before the training: set `ids` to the numbers of its devices on its node ("0,1"), or leave
  /// it empty where the job has none; `why` says what is wrong if they cannot be told.
  virtual std::string device_lines() const = 0;

  /// A job that does not run after this time is given up.
  virtual std::chrono::milliseconds longest_wait() const = 0;
};

}  // namespace bisectd::driver::launch
