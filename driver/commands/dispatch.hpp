// The command line: reads arguments, calls the command, turns what went wrong into a message and an exit code.
#pragma once

namespace bisectd::driver::commands {

/// Exit codes: 0 aligned, 1 culprits found, 2 usage or experiment file, 3 inconclusive or outside the suspects,
/// 4 infrastructure, 70 a bug, 128+n ended by signal n.
int dispatch(int argc, char** argv);

}  // namespace bisectd::driver::commands
