// `bisectd align --from`: two folders that msprobe dumped into, compared as two recorded steps are.
#pragma once

#include <string>

#include "driver/commands/exit_code.hpp"

namespace bisectd::driver::commands {

struct AlignDumpsOptions {
  std::string reference, subject;  ///< folders
  double bound = 0;                ///< accepted relative difference, a fraction
  std::string out;                 ///< folder that gets a folder with the result
  bool json = false;
};

/// Returns the program's exit code. Throws UsageError for folders that cannot be compared.
ExitCode align_dumps(const AlignDumpsOptions& options);

}  // namespace bisectd::driver::commands
