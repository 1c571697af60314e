// Which versions of its software a side runs with, as far as the experiment says where to look. Recorded with every
// run: after an upgrade the first question is what changed.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "driver/trial/sides.hpp"

namespace bisectd::driver {

/// Name to version; what is not found is left out, it must not cost a night. `folder` keeps the logs of what was
/// started for it, and is made if anything is. Nothing else may run on `launcher` meanwhile.
std::map<std::string, std::string> find_versions(const configs::Experiment& experiment, const LaunchSide& side,
                                                 launch::Launcher& launcher, const std::filesystem::path& folder,
                                                 const std::string& run_tag);

}  // namespace bisectd::driver
