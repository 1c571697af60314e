// Runs one job to its end while nothing else runs: for the short commands before a night starts.
#pragma once

#include <chrono>
#include <string>
#include <tl/expected.hpp>

#include "driver/launch/interrupted.hpp"
#include "driver/launch/launcher.hpp"

namespace bisectd::driver::launch {

/// How the job ended, or why it was stopped: it took longer than `timeout`. Throws Interrupted when a signal arrives; the
/// job has ended then.
tl::expected<Ended, std::string> run_to_end(Launcher& launcher, const Job& job, std::chrono::milliseconds timeout);

/// The same for a job that must succeed: why it did not.
tl::expected<void, std::string> run_well(Launcher& launcher, const Job& job, std::chrono::milliseconds timeout);

}  // namespace bisectd::driver::launch
