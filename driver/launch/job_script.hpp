// The script that is a job: sets the environment, tells which devices the node gave, runs the training and writes how it
// ended. What it writes is the truth about a job; the scheduler is only asked for jobs that left none.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "driver/launch/launcher.hpp"
#include "driver/launch/scheduler.hpp"

namespace bisectd::driver::launch {

/// Stands for the n-th device of a job in its command and environment, where only the node knows its number.
std::string device_of_job(int n);

/// The attempt's folder, in which the script and all that it writes lie.
std::filesystem::path folder_of(const Job& job);

/// Writes the script of a job and what is submitted, which only starts that script: a scheduler reads a batch script and
/// refuses some bytes in it. `given`: the environment that the job gets from the scheduler. Arguments are quoted, so that no
/// shell reads them; secrets are not in it. Returns what is to be submitted. Throws std::system_error.
std::filesystem::path write_job_script(const Job& job, const Scheduler& scheduler,
                                       const std::map<std::string, std::string>& given);

/// Variables by which secrets of the job come to its script: its own and, by names of ours, those in its arguments. They are
/// to be in the environment of the program that submits it.
std::map<std::string, std::string> secrets_of(const Job& job);

/// What a job wrote when it began to run.
struct JobStarted {
  std::string place;  ///< "0,1 on node17", "on node17"
  std::filesystem::file_time_type when;
};
/// What it wrote at its end.
struct JobOutcome {
  enum class How {
    exited,
    signalled,
    not_started,
    terminated,
    started_twice
  } how = How::exited;  ///< terminated: by SIGTERM
                        ///< from outside, whatever the training said then
  int code = 0;
  std::string message;
  std::filesystem::file_time_type when;
};
/// Both also refresh what a network file system has cached of the folder.
std::optional<JobStarted> job_started(const std::filesystem::path& folder);
std::optional<JobOutcome> job_outcome(const std::filesystem::path& folder);

/// Notes that a job was cancelled by us.
void note_cancelled(const std::filesystem::path& folder);
/// Whether the scheduler may have, or have had, a job that an earlier bisectd was to submit: its script was written, just
/// before that, and the job was not cancelled by us.
bool may_be_submitted(const std::filesystem::path& folder);

}  // namespace bisectd::driver::launch
