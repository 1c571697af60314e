// Asks the framework itself for the members of a family, where no run can show them: a command, once, before the search.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "driver/launch/launcher.hpp"
#include "driver/neutralise/catalogue.hpp"
#include "driver/trial/sides.hpp"

namespace bisectd::driver {

/// Selected families whose members a command tells.
std::vector<std::string> queried_families(const configs::Experiment& experiment);

/// Runs the commands of these families in the subject's environment and directory; their output stays in `folder`. Throws
/// std::runtime_error that says why a command's output is no list of members: it failed, named nothing or too many, or
/// printed a line that is no name.
neutralise::Discovered ask_framework(const configs::Experiment& experiment, const LaunchSide& subject,
                                     launch::Launcher& launcher, const std::filesystem::path& folder,
                                     const std::string& run_tag);

}  // namespace bisectd::driver
