// What every command of the program is: a subcommand with its options, and the action that runs when it was given.
#pragma once

#include <functional>
#include <stdexcept>

#include "driver/commands/exit_code.hpp"

namespace CLI {
class App;
}

namespace bisectd::driver::commands {

/// Does the command's work and returns the program's exit code.
using Action = std::function<ExitCode()>;

/// The command line asks for something that cannot be done; nothing was started.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bisectd::driver::commands
