// `bisectd check`: everything that can be found out before a night is spent.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_check(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
