// Jobs of a batch system beside jobs on this machine. Knows what is the same for all batch systems: jobs are submitted one
// by one, looked at by the files that they write, asked for in one query, cancelled in one call, and found again by their
// names.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "driver/launch/launcher.hpp"

namespace bisectd::driver::launch {

/// Tells people what they should know of the scheduler.
using Say = std::function<void(const std::string&)>;

/// Starts jobs without a scheduler on this machine, as LocalLauncher does, and submits the others.
/// - What a scheduler refuses or does not answer is tried again, slower and slower, and said once: limits of a queue and a
///   controller that is down for minutes slow a run down, and end no job.
/// - A job that is gone from its node without an outcome of its own is `lost`.
/// - A job that is to be adopted is looked for by its name, and is `lost` if it is not there.
/// - What could not be cancelled is said with the command that would do it.
/// `folder` keeps what the scheduler printed last, and is made when there is something.
std::unique_ptr<Launcher> make_launcher(std::filesystem::path folder, Say say);

/// The beginning of what a program of the scheduler printed, in one line.
std::string failure_printed_in(const std::filesystem::path& file);

/// The environment that these programs get: nothing of the session that bisectd may itself run in as a job.
std::map<std::string, std::string> scheduler_environment();

}  // namespace bisectd::driver::launch
