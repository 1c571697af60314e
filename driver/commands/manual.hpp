// `bisectd manual`: the manual page, for the build to install.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_manual(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
