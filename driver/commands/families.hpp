// `bisectd families [PRESET]`: what can be switched off, and how.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_families(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
