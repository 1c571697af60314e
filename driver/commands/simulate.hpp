// `bisectd simulate`: plants culprits into the suspects of an experiment and shows what finding them would take.
#pragma once

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_simulate(CLI::App& app, Action& action);

}  // namespace bisectd::driver::commands
