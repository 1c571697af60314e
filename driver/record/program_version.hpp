// The program's own version, from the build.
#pragma once

namespace bisectd::driver {

inline constexpr const char* kVersion = BISECTD_VERSION;

}  // namespace bisectd::driver
