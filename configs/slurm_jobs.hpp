// How attempts are submitted to Slurm instead of being started on this machine. Plain data.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "configs/place.hpp"

namespace bisectd::configs {

/// One job for each attempt. The attempt's folder and everything that it names must lie on a file system that nodes share
/// with this machine.
struct SlurmJobs {
  std::optional<Placed<std::string>> partition;
  std::optional<Placed<std::string>> gres;   ///< "npu:2": {per_trial} is filled; absent: a job asks for no device
  std::optional<std::chrono::minutes> time;  ///< of one job, longer than the attempt's timeout; absent: the partition's
  int max_jobs = 8;                          ///< submitted at the same time, running or pending
  std::chrono::milliseconds pending{std::chrono::hours{24}};  ///< a job that is not running by then is given up
  std::vector<Placed<std::string>> arguments;                 ///< further options of sbatch
  Place place;
};

}  // namespace bisectd::configs
