// `bisectd report`: any report of a run again, from its journal and logs.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_report(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
