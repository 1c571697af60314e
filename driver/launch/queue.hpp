// Jobs of a batch system beside jobs on this machine. Knows what is the same for all batch systems: jobs are submitted one
// by one, looked at by the files that they write, asked for in one query, cancelled in one call, and found again by their
// names.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "driver/launch/launcher.hpp"

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

}  // namespace bisectd::driver::launch
