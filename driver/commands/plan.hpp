// `bisectd plan`: what a run would do first, and what it is expected to take. Starts no training.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_plan(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
