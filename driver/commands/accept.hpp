// `bisectd accept`: makes the curve of a run the baseline of later ones.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_accept(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
