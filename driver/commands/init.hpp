// `bisectd init`: a first experiment file, with comments.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_init(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
