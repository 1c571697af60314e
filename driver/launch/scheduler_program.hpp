// One of a scheduler's programs, run as a child that is waited for like any job: a controller that does not answer blocks
// nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/launch/local.hpp"

namespace bisectd::driver::launch {

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
