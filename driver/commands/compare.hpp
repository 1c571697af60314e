// `bisectd compare REFERENCE... -- CANDIDATE...`: the verdict of a run for logs that already exist.
#pragma once

#include <vector>

#include "driver/commands/command.hpp"

namespace bisectd::driver::commands {

void add_compare(CLI::App& app, Action& action);

/// The words of a command line, with the "--" of `compare` as the option it stands for: the parser of command lines
/// would swallow it.
std::vector<char*> with_candidates(int argc, char** argv);

}  // namespace bisectd::driver::commands
