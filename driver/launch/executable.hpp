// Finds the program a command names and says in words why one cannot be started. Starts nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tl/expected.hpp>

namespace bisectd::driver::launch {

/// The file that `name` means, by the rules of execvp(3): a name with a slash is a path, relative to `directory`; any
/// other is looked up in PATH of `environment` (absent: /usr/bin:/bin), whose relative entries are relative to
/// `directory` too. The file exists and may be executed; else the error says what is wrong, ready to be shown.
tl::expected<std::string, std::string> find_executable(const std::string& name,
                                                       const std::map<std::string, std::string>& environment,
                                                       const std::filesystem::path& directory);

/// Why execve(2) of `file` failed with `error`, in words: a missing interpreter is told from a missing file.
std::string explain_exec_failure(const std::string& file, int error);

}  // namespace bisectd::driver::launch
