// One run of each side, to see whether an experiment works before a night is spent on it. Searches nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driver/trial/sides.hpp"

namespace bisectd::driver {

struct OnePair {
  std::vector<std::string> lines;     ///< what was seen
  std::vector<std::string> warnings;  ///< it would run, but not well
  std::vector<std::string> problems;  ///< it would not
  int signal_number = 0;              ///< that ended it
};

/// Runs the reference (unless it is recorded) and the subject with nothing neutralised, both at once; leaves their logs
/// in `folder`.
OnePair run_one_pair(const configs::Experiment& experiment, Sides& sides, launch::Launcher& launcher,
                     const std::filesystem::path& folder);

}  // namespace bisectd::driver
