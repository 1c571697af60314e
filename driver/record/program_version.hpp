// What this program is, from the build.
#pragma once

#include <string>

namespace bisectd::driver {

extern const char* const kVersion;       ///< as the changelog counts, "0.2.0"
extern const char* const kCommit;        ///< empty if the builder did not tell
extern const char* const kArchitecture;  ///< "x86_64", "aarch64"

/// "bisectd 0.2.0 (3f2a1b0c9d8e, x86_64)".
std::string version_line();

}  // namespace bisectd::driver
