// Slurm's commands and words. Nothing is linked against it: sbatch, squeue and scancel are programs.
#pragma once

#include "configs/slurm_jobs.hpp"
#include "driver/launch/scheduler.hpp"

namespace bisectd::driver::launch {

class Slurm final : public Scheduler {
 public:
  explicit Slurm(configs::SlurmJobs jobs) : jobs_(std::move(jobs)) {}

  std::string name() const override { return "Slurm"; }
  std::vector<std::string> submit(const std::string& job_name, const std::filesystem::path& folder,
                                  const std::filesystem::path& script, bool only_test) const override;
  tl::expected<std::string, std::string> id_in(const std::string& output) const override;
  std::vector<std::string> query(std::span<const std::string> job_names) const override;
  std::map<std::string, SeenJob> jobs_in(const std::string& output) const override;
  std::vector<std::string> cancel(std::span<const std::string> ids) const override;
  std::string device_lines() const override;
  std::chrono::milliseconds longest_wait() const override { return jobs_.pending; }

 private:
  configs::SlurmJobs jobs_;
};

}  // namespace bisectd::driver::launch
