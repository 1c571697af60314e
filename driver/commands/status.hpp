// `bisectd status`: what a run is doing now, from another terminal.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_status(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
