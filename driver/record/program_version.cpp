#include "driver/record/program_version.hpp"

namespace bisectd::driver {

const char* const kVersion = BISECTD_VERSION;
const char* const kCommit = BISECTD_COMMIT;
const char* const kArchitecture = BISECTD_ARCHITECTURE;

std::string version_line() {
  const std::string commit = kCommit;
  return std::string("bisectd ") + kVersion + " (" + commit + (commit.empty() ? "" : ", ") + kArchitecture + ")";
}

}  // namespace bisectd::driver
