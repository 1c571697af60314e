// The files that a side's `setup` names, say those that it sources: what they leave in the environment is not in the
// experiment.
#pragma once

#include <map>
#include <string>

#include "configs/experiment.hpp"

namespace bisectd::driver {

/// Each by its name as the setup writes it, of both sides, with a digest of what is in it. Left out are words that name no
/// file, files above 1 MiB, and what the setup writes itself (`> setup.log`), which changes with each run. What these files
/// source themselves is not looked at.
std::map<std::string, std::string> setup_files(const configs::Experiment& experiment);

}  // namespace bisectd::driver
