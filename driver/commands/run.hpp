// `bisectd run EXPERIMENT`: the whole search.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_run(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
