// `bisectd prune`: which entries of the workaround in use are still needed.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_prune(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
