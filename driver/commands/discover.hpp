// `bisectd discover EXPERIMENT`: which members one run of the subject uses; no search.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_discover(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
