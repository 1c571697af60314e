// `bisectd completion`: a script that completes the command line in bash, zsh or fish.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_completion(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
