// `bisectd compare REFERENCE... -- CANDIDATE...`: its "--".
#pragma once

#include <vector>

namespace bisectd::driver::commands {

/// The words of a command line, with the "--" of `compare` as the option it stands for: the parser of command lines
/// would swallow it.
std::vector<char*> with_candidates(int argc, char** argv);

}  // namespace bisectd::driver::commands
