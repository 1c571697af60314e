// `bisectd schema`: the JSON schema of experiment files, for editors.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_schema(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
