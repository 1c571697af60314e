// `bisectd resume DIR`: goes on with a run that was interrupted.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_resume(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
