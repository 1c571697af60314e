// `bisectd version`: what this program is, for people and scripts.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_version(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
