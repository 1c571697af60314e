// Which versions of its software a side runs with, as far as the experiment says where to look. Recorded with every
// run: after an upgrade the first question is what changed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "configs/experiment.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

struct Versions {
  std::map<std::string, std::string> found;  ///< name to version, without what is not installed
  std::vector<std::string> unknown;  ///< what was asked for and gave no answer: a command failed, a pattern fits nowhere
};

/// What is not found must not cost a night. `folder` keeps the logs of what was started for it, and is made if anything is.
/// Nothing else may run on `launcher` meanwhile.
Versions find_versions(const configs::Experiment& experiment, const LaunchSide& side, launch::Launcher& launcher,
                       const std::filesystem::path& folder, const std::string& run_tag);

/// As far as the side's command shows it; else python3.
inline std::string python_of(const configs::Side& side) {
  const std::string& program = side.command.front().value;
  return std::filesystem::path(program).filename().string().starts_with("python") ? program : "python3";
}

}  // namespace bisectd::driver
