// Jobs of a batch system beside jobs on this machine. Knows what is the same for all batch systems: jobs are submitted one
// by one, looked at by the files that they write, asked for in one query, cancelled in one call, and found again by their
// names.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/launch/launcher.hpp"
#include "driver/launch/local.hpp"

namespace bisectd::driver::launch {

/// Starts jobs without a scheduler on this machine, as LocalLauncher does, and submits the others. All jobs of one launcher
/// go to schedulers of the same kind. Whatever asks the scheduler is a child that is waited for like any job, so a
/// controller that does not answer blocks nothing.
///
/// - What a scheduler refuses or does not answer is tried again, slower and slower, and said once: limits of a queue and a
///   controller that is down for minutes slow a run down, and end no job.
/// - A job that is gone from its node without an outcome of its own is `lost`.
/// - A job that is to be adopted is looked for by its name, and is `lost` if it is not there.
/// - What could not be cancelled is said with the command that would do it.
class QueueLauncher final : public Launcher {
 public:
  /// Tells people what they should know of the scheduler.
  using Say = std::function<void(const std::string&)>;

  /// `folder` keeps what the scheduler printed last, and is made when there is something.
  QueueLauncher(std::filesystem::path folder, Say say);
  /// Cancels what was submitted and has not ended.
  ~QueueLauncher() override;

  void start(const Job& job) override;
  std::vector<Ended> wait(std::chrono::milliseconds at_most) override;
  void stop(JobId id) override;
  JobStatus status(JobId id) const override;
  std::optional<std::uint64_t> memory_bytes(JobId id) const override;
  int signal_number() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What such a program came to.
struct SchedulerAnswer {
  std::optional<std::string> failure;  ///< why it did not do what it was to do, in one line; nothing if it did
  std::string output;                  ///< what it printed
  std::set<JobId> about;               ///< the jobs that it was started for
};

/// Runs at most once at a time.
class SchedulerProgram {
 public:
  /// `id` is no job's; `what` names the files of what it prints.
  SchedulerProgram(LocalLauncher& launcher, JobId id, std::string what)
      : launcher_(launcher), id_(id), what_(std::move(what)) {}

  bool runs() const { return running_.has_value(); }
  bool runs_for(JobId job) const { return running_ && running_->about.contains(job); }

  /// Starts it; what it prints goes to `folder`, which is made.
  void start(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             std::map<std::string, std::string> environment, std::set<JobId> about);
  /// Ends it if it has run for longer than a scheduler takes that answers at all.
  void stop_if_it_hangs();
  /// Its answer, if what ended is this program.
  std::optional<SchedulerAnswer> answer(const Ended& ended);

 private:
  struct Running {
    std::filesystem::path output, errors;
    Clock::time_point since;
    std::set<JobId> about;
    bool stopped = false;
  };

  std::optional<std::string> failure_of(const Ended& ended) const;

  LocalLauncher& launcher_;
  JobId id_;
  std::string what_;
  std::optional<Running> running_;
};

/// The beginning of what such a program printed, in one line.
std::string failure_printed_in(const std::filesystem::path& file);

/// The environment that these programs get: nothing of the session that bisectd may itself run in as a job.
std::map<std::string, std::string> scheduler_environment();

}  // namespace bisectd::driver::launch
