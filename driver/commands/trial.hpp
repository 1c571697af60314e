// `bisectd trial EXPERIMENT --off A,B`: one judged trial by hand.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_trial(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
