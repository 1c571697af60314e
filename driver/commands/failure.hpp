// Why a command ended without a result: what was thrown, as an exit code and a message.
#pragma once

#include <exception>
#include <string>

#include "driver/commands/exit_code.hpp"

namespace bisectd::driver::commands {

struct Failure {
  ExitCode code;
  std::string
      message;  ///< as it is shown, the program's name before it unless it begins with a place; empty for nobody_reads
};

Failure failure_of(std::exception_ptr thrown);

}  // namespace bisectd::driver::commands
