// The word that marks every process of one run, on this machine and for all time.
#pragma once

#include <filesystem>
#include <string>

namespace bisectd::driver {

/// From the run's folder, the time and the process; letters and digits.
std::string make_run_tag(const std::filesystem::path& folder);

}  // namespace bisectd::driver
