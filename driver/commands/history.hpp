// `bisectd history`: what earlier runs came to, and who was guilty how often.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_history(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
