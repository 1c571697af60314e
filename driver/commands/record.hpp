// `bisectd record EXPERIMENT`: runs the trusted side where it lives and writes its runs to one file, for another machine.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_record(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
