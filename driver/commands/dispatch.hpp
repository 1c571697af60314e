// The command line: reads arguments, calls the command, turns what went wrong into a message and an exit code.
#pragma once

namespace bisectd::driver::commands {

/// The exit code is one of kExitCodes (exit_code.hpp).
int dispatch(int argc, char** argv);

}  // namespace bisectd::driver::commands
