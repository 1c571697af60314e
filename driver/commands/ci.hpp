// `bisectd ci`: a suite of models, each judged against its baseline; one that regressed is searched.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_ci(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
