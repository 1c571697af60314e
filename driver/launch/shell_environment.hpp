// Runs the `setup:` text of a side once and tells what environment it leaves: the one place where a shell meets what
// the user wrote. Knows no jobs but its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <tl/expected.hpp>

#include "driver/launch/launcher.hpp"

namespace bisectd::driver::launch {

struct ShellSetup {
  std::string text;                                ///< for bash, several lines if need be
  std::map<std::string, std::string> environment;  ///< that it starts from, whole
  std::filesystem::path directory;                 ///< working directory
  std::filesystem::path folder;                    ///< keeps setup.stdout.log and setup.stderr.log; exists
  std::string tag;                                 ///< value of BISECTD_ATTEMPT while it runs
  std::chrono::milliseconds timeout{std::chrono::minutes{5}};
};

/// The environment after `text` ran under `set -e`. A step that fails stops it: half a set_env.sh would make every
/// training fail later, or worse, run against another toolkit. The error names line, command, exit code and the last
/// lines of stderr, ready to be shown. What the text leaves running is ended; nothing else may run on `launcher`
/// meanwhile. Shell bookkeeping (_, SHLVL, and PWD, OLDPWD when they were not there) is left as it was.
tl::expected<std::map<std::string, std::string>, std::string> capture_environment(Launcher& launcher,
                                                                                  const ShellSetup& setup);

}  // namespace bisectd::driver::launch
