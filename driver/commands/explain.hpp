// `bisectd explain`: why a suspect is in or out, from the journal alone. Launches nothing.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_explain(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
